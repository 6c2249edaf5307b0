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
#endif
