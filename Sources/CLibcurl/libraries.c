#if defined(__linux__)
// Loads libcurl, libnghttp2, and libssl with the libcrypto that it needs.
#include "include/nc_curl.h"
#include "include/nc_h2.h"
#include "include/nc_tls.h"
#include "nc_private.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdio.h>

struct nc_functions nc_curl;
struct nc_h2_functions nc_h2_lib;
struct nc_tls_functions nc_tls;

#define X(type, name, parameters) CL_SYMBOL(TABLE, name),
#define OPTIONAL(type, name, parameters) CL_OPTIONAL(TABLE, name),
#define TABLE nc_curl
static const cl_symbol curl[] = {NC_CURL_FUNCTIONS(X, OPTIONAL)};
#undef TABLE
#define TABLE nc_h2_lib
static const cl_symbol http2[] = {NC_H2_FUNCTIONS(X, OPTIONAL)};
#undef TABLE
#define TABLE nc_tls
static const cl_symbol tls[] = {NC_TLS_FUNCTIONS(X, OPTIONAL)};

static char curl_problem[512], tls_problem[512];
static bool has_http2;

/// If the process initialised OpenSSL before this module was loaded, OpenSSL frees its data at exit: see `cl_load`. The loops stop then.
static void stop_before_openssl(void *libcurl) {
    int (*at_exit)(void (*handler)(void));
    const cl_symbol symbol = {"OPENSSL_atexit", &at_exit, false};
    if (!cl_find(libcurl, "", &symbol, 1)) at_exit(nc_threads_park);
}

static void load_curl(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = cl_load(
        names, CL_COUNT(names), false, "curl_", curl, CL_COUNT(curl), curl_problem, sizeof curl_problem);
    if (!library) return;
    int result = nc_curl.global_init(NC_GLOBAL_ALL);
    if (result) snprintf(curl_problem, sizeof curl_problem, "curl_global_init: %s", nc_curl.easy_strerror(result));
    else stop_before_openssl(library);
}

const char *nc_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_curl);
    return *curl_problem ? curl_problem : NULL;
}

static void load_http2(void) {
    static const char *const names[] = {"libnghttp2.so.14"};
    // libcurl usually has loaded it.
    void *library = cl_load(names, CL_COUNT(names), true, "nghttp2_", http2, CL_COUNT(http2), NULL, 0);
    // Before 1.33, the user data of a stream could not be changed while its request waited to be sent.
    has_http2 = library && nc_h2_lib.version(0x012100);
}

const char *nc_h2_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_http2);
    return has_http2 ? NULL : "HTTP/2 needs libnghttp2.so.14, 1.33 or later. Install libnghttp2-14.";
}

static void load_tls(void) {
    static const char *const names[] = {"libssl.so.3", "libssl.so.1.1"};
    // libcurl has mostly loaded one: a second one would waste memory.
    cl_load(names, CL_COUNT(names), true, "", tls, CL_COUNT(tls), tls_problem, sizeof tls_problem);
}

const char *nc_tls_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_tls);
    return *tls_problem ? tls_problem : NULL;
}
#endif
