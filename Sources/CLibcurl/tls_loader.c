#if defined(__linux__)
// Loads libssl, and with it the libcrypto that it needs.
#include "include/nc_tls.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdio.h>

struct nc_tls_functions nc_tls_lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static bool is_loaded;

static void load(void) {
    static const char *const names[] = {"libssl.so.3", "libssl.so.1.1"};
#define X(type, name, parameters, arguments) CL_SYMBOL(nc_tls_lib, name),
    static const cl_symbol symbols[] = {NC_TLS_FUNCTIONS(X)};
    static const cl_symbol optional[] = {NC_TLS_NEW_FUNCTIONS(X)};
#undef X
    // libcurl has mostly loaded one: a second one would waste memory.
    void *library = cl_open(names, CL_COUNT(names), true, problem, sizeof problem);
    if (!library) return;
    const char *missing = cl_find(library, "", symbols, CL_COUNT(symbols));
    if (missing) {
        snprintf(problem, sizeof problem, "libssl has no %s; TLS needs OpenSSL 1.1.1 or 3", missing);
        return;
    }
    for (size_t index = 0; index < CL_COUNT(optional); index++) cl_find(library, "", &optional[index], 1);
    is_loaded = true;
}

const char *nc_tls_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}
#else
// Strict compilers require a declaration in each translation unit.
typedef int nc_tls_unused_loader;
#endif
