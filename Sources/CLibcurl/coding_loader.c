#if defined(__linux__)
// Finds zlib, brotli and zstd.
#include "nc_coding_libraries.h"

#include "include/nc_coding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static struct nc_coding_functions functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *slot) {
    void *function = library ? dlsym(library, name) : NULL;
    *(void **)slot = function;
    return function;
}

#define FIND(library, name) find(library, #name, &functions.name)

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    functions.has_zlib = FIND(library, inflateInit2_) && FIND(library, inflate) && FIND(library, inflateReset2)
        && FIND(library, inflateEnd) && FIND(library, zlibVersion);
    library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    functions.has_brotli = FIND(library, BrotliDecoderCreateInstance) && FIND(library, BrotliDecoderDestroyInstance)
        && FIND(library, BrotliDecoderDecompressStream) && FIND(library, BrotliDecoderGetErrorCode);
    library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    functions.has_zstd = FIND(library, ZSTD_createDStream) && FIND(library, ZSTD_freeDStream)
        && FIND(library, ZSTD_DCtx_setParameter) && FIND(library, ZSTD_decompressStream) && FIND(library, ZSTD_isError)
        && FIND(library, ZSTD_getErrorCode);
}

const struct nc_coding_functions *nc_coding_load(void) {
    pthread_once(&once, load);
    return &functions;
}

int nc_coding_is_available(nc_coding coding) {
    const struct nc_coding_functions *known = nc_coding_load();
    switch (coding) {
    case NC_CODING_GZIP:
    case NC_CODING_DEFLATE: return known->has_zlib;
    case NC_CODING_BROTLI: return known->has_brotli;
    case NC_CODING_ZSTD: return known->has_zstd;
    }
    return 0;
}
#else
typedef int nc_unused_coding_loader;
#endif
