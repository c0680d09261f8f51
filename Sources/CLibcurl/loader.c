#if defined(__linux__)
// Loads libcurl.
#include "include/nc_loader.h"

#include "nc_private.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct nc_functions nc_curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static bool is_loaded;

/// If the process initialised OpenSSL before this module was loaded, OpenSSL frees its data at exit: see `cl_open`. The loops stop then.
static void stop_before_openssl(void *libcurl) {
    int (*at_exit)(void (*handler)(void));
    const cl_symbol symbol = {"OPENSSL_atexit", &at_exit};
    if (!cl_find(libcurl, "", &symbol, 1)) at_exit(nc_threads_park);
}

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static const cl_symbol symbols[] = {
        CL_SYMBOL(nc_curl, global_init), CL_SYMBOL(nc_curl, version), 
        CL_SYMBOL(nc_curl, easy_init),
        CL_SYMBOL(nc_curl, easy_cleanup),  CL_SYMBOL(nc_curl, easy_strerror),
        CL_SYMBOL(nc_curl, easy_setopt), CL_SYMBOL(nc_curl, easy_getinfo), CL_SYMBOL(nc_curl, slist_append),
        CL_SYMBOL(nc_curl, slist_free_all), CL_SYMBOL(nc_curl, multi_init), CL_SYMBOL(nc_curl, multi_cleanup),
        CL_SYMBOL(nc_curl, multi_add_handle), CL_SYMBOL(nc_curl, multi_remove_handle),
        CL_SYMBOL(nc_curl, multi_info_read), CL_SYMBOL(nc_curl, multi_socket_action),
        CL_SYMBOL(nc_curl, multi_setopt), CL_SYMBOL(nc_curl, share_init), CL_SYMBOL(nc_curl, share_setopt),
        CL_SYMBOL(nc_curl, share_cleanup),
    };
    static const cl_symbol optional[] = {CL_SYMBOL(nc_curl, multi_wakeup)};
    void *library = cl_open(names, CL_COUNT(names), false, problem, sizeof problem);
    if (!library) return;
    const char *missing = cl_find(library, "curl_", symbols, CL_COUNT(symbols));
    if (missing) {
        snprintf(problem, sizeof problem, "libcurl has no curl_%s", missing);
        return;
    }
    cl_find(library, "curl_", optional, CL_COUNT(optional));
    int result = nc_curl.global_init(NC_GLOBAL_ALL);
    if (result) {
        snprintf(problem, sizeof problem, "curl_global_init: %s", nc_curl.easy_strerror(result));
        return;
    }
    stop_before_openssl(library);
    is_loaded = true;
}

const char *nc_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}

const char *nc_version(void) { return nc_curl.version(); }

// MARK: libcurl's functions for Swift, which cannot call variadic ones

const char *nc_option_name(nc_option option) {
    switch (option) {
#define X(name, value) \
    case NC_OPT_##name: return "CURLOPT_" #name;
        NC_OPTIONS(X)
#undef X
    }
    return "an unknown option";
}

int nc_set_long(nc_easy *easy, nc_option option, long value) { return nc_curl.easy_setopt(easy, (int)option, value); }

int nc_set_pointer(nc_easy *easy, nc_option option, const void *value) {
    return nc_curl.easy_setopt(easy, (int)option, value);
}

long nc_info_long(nc_easy *easy, nc_info info) {
    long value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

int64_t nc_info_offset(nc_easy *easy, nc_info info) {
    int64_t value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

int nc_info_socket(nc_easy *easy) {
    int socket = -1;
    return nc_curl.easy_getinfo(easy, NC_INFO_ACTIVESOCKET, &socket) ? -1 : socket;
}

const char *nc_error_text(int result) { return nc_curl.easy_strerror(result); }

void nc_list_free(nc_slist *list) {
    if (list) nc_curl.slist_free_all(list);
}

nc_slist *nc_list_append(nc_slist *list, const char *text) { return nc_curl.slist_append(list, text); }
#else
// Strict compilers require a declaration in each translation unit.
typedef int nc_unused_loader;
#endif
