// libcurl's variadic functions, with one fixed signature for each kind of argument.
#ifndef ENCLOSURE_CCURL_SHIM_H
#define ENCLOSURE_CCURL_SHIM_H
#include <curl/curl.h>
// What the loop around libcurl waits with; Swift's Glibc module leaves them out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

static inline CURLcode enclosure_setopt_long(CURL *_Nonnull easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode enclosure_setopt_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode enclosure_setopt_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode enclosure_setopt_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, and CURLOPT_READFUNCTION, which fills the bytes.
typedef size_t (*enclosure_receive_callback)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
static inline CURLcode enclosure_setopt_receive(
    CURL *_Nonnull easy, CURLoption option, enclosure_receive_callback _Nonnull callback) {
  return curl_easy_setopt(easy, option, callback);
}
/// For CURLOPT_SEEKFUNCTION.
typedef int (*enclosure_seek_callback)(void *_Nullable context, curl_off_t offset, int origin);
static inline CURLcode enclosure_setopt_seek(
    CURL *_Nonnull easy, CURLoption option, enclosure_seek_callback _Nonnull callback) {
  return curl_easy_setopt(easy, option, callback);
}
/// For CURLOPT_OPENSOCKETFUNCTION.
typedef curl_socket_t (*enclosure_open_socket_callback)(
    void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *_Nullable address);
static inline CURLcode enclosure_setopt_open_socket(
    CURL *_Nonnull easy, CURLoption option, enclosure_open_socket_callback _Nonnull callback) {
  return curl_easy_setopt(easy, option, callback);
}

/// Returns 0 where libcurl has no answer.
static inline long enclosure_getinfo_long(CURL *_Nonnull easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}
/// Returns 0 where libcurl has no answer.
static inline curl_off_t enclosure_getinfo_offset(CURL *_Nonnull easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}
/// The string belongs to the handle.
static inline const char *_Nullable enclosure_getinfo_string(CURL *_Nonnull easy, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

static inline CURLMcode enclosure_multi_setopt_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
/// For CURLMOPT_SOCKETFUNCTION and CURLMOPT_TIMERFUNCTION, with the context for both.
typedef int (*enclosure_socket_callback)(
    CURL *_Nullable easy, curl_socket_t socket, int what, void *_Nullable context, void *_Nullable socket_context);
typedef int (*enclosure_timer_callback)(CURLM *_Nullable multi, long milliseconds, void *_Nullable context);
static inline CURLMcode enclosure_multi_setopt_callbacks(
    CURLM *_Nonnull multi, enclosure_socket_callback _Nonnull on_socket, enclosure_timer_callback _Nonnull on_timer,
    void *_Nonnull context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code;
}
/// The result of a message that says CURLMSG_DONE: Swift does not import the union's member type well.
static inline CURLcode enclosure_message_result(const CURLMsg *_Nonnull message) { return message->data.result; }
#endif
