#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift does not
// import: here is one function for each type of argument.

typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *context);

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *fields);
CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count);
CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer);
CURLcode ccurl_set_receivers(CURL *handle, ccurl_receiver head, ccurl_receiver body, void *context);
long ccurl_status(CURL *handle);
bool ccurl_has_connected(CURL *handle);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
/// Takes the next message off the queue; false if there is none.
bool ccurl_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result);
