#if defined(__linux__)
#define _GNU_SOURCE
#include "include/CLoader.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *open_any(const char *const *names, size_t count, int flags, char *problem, size_t capacity) {
    for (size_t index = 0; index < count; index++) {
        void *library = dlopen(names[index], flags);
        if (library) return library;
        if (index || !problem) continue;
        const char *text = dlerror();
        snprintf(problem, capacity, "%s", text ? text : names[index]);
    }
    return NULL;
}

/// Keeps OpenSSL, if the library needs it, from freeing its data at exit: threads of clients may be in it then. This must be OpenSSL's first
/// initialisation in the process.
static void keep_openssl(void *library) {
    enum { NO_ATEXIT = 0x00080000 };
    int (*init_crypto)(uint64_t options, const void *settings);
    const cl_symbol symbol = {"OPENSSL_init_crypto", &init_crypto, false};
    if (!cl_find(library, "", &symbol, 1)) init_crypto(NO_ATEXIT, NULL);
}

void *cl_load(
    const char *const *names, size_t name_count, bool prefers_loaded, const char *prefix, const cl_symbol *symbols,
    size_t count, char *problem, size_t capacity) {
    int flags = RTLD_NOW | RTLD_LOCAL;
    void *library = prefers_loaded ? open_any(names, name_count, flags | RTLD_NOLOAD, NULL, 0) : NULL;
    if (!library) library = open_any(names, name_count, flags, problem, capacity);
    if (!library) return NULL;
    keep_openssl(library);
    const char *missing = cl_find(library, prefix, symbols, count);
    if (missing) snprintf(problem, capacity, "the installed library has no %s%s; install a newer one", prefix, missing);
    else if (problem) *problem = 0;
    return missing ? NULL : library;
}

const char *cl_find(void *library, const char *prefix, const cl_symbol *symbols, size_t count) {
    for (size_t index = 0; index < count; index++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", prefix, symbols[index].name);
        void *function = dlsym(library, name);
        if (!function && symbols[index].is_optional) continue;
        if (!function) return symbols[index].name;
        memcpy(symbols[index].slot, &function, sizeof function);
    }
    return NULL;
}
#endif
