// libcurl's variadic functions, with one fixed signature for each kind of argument.
#ifndef ENCLOSURE_CCURL_SHIM_H
#define ENCLOSURE_CCURL_SHIM_H
#include <curl/curl.h>

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

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*enclosure_receive_callback)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
static inline CURLcode enclosure_setopt_receive(
    CURL *_Nonnull easy, CURLoption option, enclosure_receive_callback _Nonnull callback) {
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
/// The result of a message that says CURLMSG_DONE: Swift does not import the union's member type well.
static inline CURLcode enclosure_message_result(const CURLMsg *_Nonnull message) { return message->data.result; }
#endif
