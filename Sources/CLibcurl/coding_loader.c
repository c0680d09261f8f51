#if defined(__linux__)
// Loads zlib, brotli and zstd.
#include "nc_coding_libraries.h"

#include "include/nc_coding.h"

#include <CLoader.h>
#include <pthread.h>

static struct nc_coding_functions functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int has(const char *name, const cl_symbol *symbols, size_t count) {
    void *library = cl_open(&name, 1, false, NULL, 0);
    return library && !cl_find(library, "", symbols, count);
}

static void load(void) {
    static const cl_symbol zlib[] = {
        CL_SYMBOL(functions, inflateInit2_), CL_SYMBOL(functions, inflate), CL_SYMBOL(functions, inflateReset2),
        CL_SYMBOL(functions, inflateEnd), CL_SYMBOL(functions, zlibVersion),
    };
    static const cl_symbol brotli[] = {
        CL_SYMBOL(functions, BrotliDecoderCreateInstance), CL_SYMBOL(functions, BrotliDecoderDestroyInstance),
        CL_SYMBOL(functions, BrotliDecoderDecompressStream), CL_SYMBOL(functions, BrotliDecoderGetErrorCode),
    };
    static const cl_symbol zstd[] = {
        CL_SYMBOL(functions, ZSTD_createDStream), CL_SYMBOL(functions, ZSTD_freeDStream),
        CL_SYMBOL(functions, ZSTD_DCtx_setParameter), CL_SYMBOL(functions, ZSTD_decompressStream),
        CL_SYMBOL(functions, ZSTD_isError), CL_SYMBOL(functions, ZSTD_getErrorCode),
    };
    functions.has_zlib = has("libz.so.1", zlib, CL_COUNT(zlib));
    functions.has_brotli = has("libbrotlidec.so.1", brotli, CL_COUNT(brotli));
    functions.has_zstd = has("libzstd.so.1", zstd, CL_COUNT(zstd));
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
