#pragma once

#include "CAppleNetwork.h"

#include <curl/curl.h>

struct an_connection {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    an_callbacks callbacks;
    bool is_running;
    CURLcode code;
    char text[CURL_ERROR_SIZE];
    int oldest_tls, newest_tls;
};

/// CURLOPT_SSL_CTX_FUNCTION.
CURLcode an_prepare_tls(CURL *easy, void *tls, void *connection);
