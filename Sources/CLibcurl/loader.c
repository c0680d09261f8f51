#if defined(__linux__)
#include "include/nc_loader.h"

#include "nc_functions.h"
#include "nc_nghttp2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

struct nc_functions nc_curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static bool is_loaded;

static bool find(void *library, const char *name, void *slot) {
    void *function = dlsym(library, name);
    if (!function) {
        snprintf(problem, sizeof problem, "libcurl has no %s", name);
        return false;
    }
    *(void **)slot = function;
    return true;
}

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t index = 0; !library && index < sizeof names / sizeof *names; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        // The first message names the library that one would install.
        if (!library && !problem[0]) {
            const char *text = dlerror();
            snprintf(problem, sizeof problem, "%s", text ? text : "libcurl.so.4 cannot be loaded");
        }
    }
    if (!library) return;
#define FIND(name) \
    if (!find(library, "curl_" #name, &nc_curl.name)) return
    FIND(global_init);
    FIND(version);
    FIND(easy_init);
    FIND(easy_cleanup);
    FIND(easy_reset);
    FIND(easy_pause);
    FIND(easy_send);
    FIND(easy_recv);
    FIND(easy_strerror);
    FIND(easy_setopt);
    FIND(easy_getinfo);
    FIND(slist_append);
    FIND(slist_free_all);
    FIND(multi_init);
    FIND(multi_cleanup);
    FIND(multi_add_handle);
    FIND(multi_remove_handle);
    FIND(multi_info_read);
    FIND(multi_socket_action);
    FIND(multi_setopt);
    *(void **)&nc_curl.multi_wakeup = dlsym(library, "curl_multi_wakeup");
#undef FIND
    int result = nc_curl.global_init(NC_GLOBAL_ALL);
    if (result) {
        snprintf(problem, sizeof problem, "curl_global_init: %s", nc_curl.easy_strerror(result));
        return;
    }
    nc_http2_load(library, nc_curl.version());
    is_loaded = true;
}

const char *nc_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}

const char *nc_version(void) { return nc_curl.version(); }
#else
// Strict compilers want a translation unit to hold something.
typedef int nc_unused_loader;
#endif
