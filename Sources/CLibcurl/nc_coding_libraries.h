// The functions of zlib, brotli and zstd, as their headers declare them.
#ifndef NC_CODING_LIBRARIES_H
#define NC_CODING_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

// zlib.h
typedef struct nc_zstream {
    const uint8_t *next_in;
    unsigned avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *opaque, unsigned items, unsigned size);
    void (*zfree)(void *opaque, void *address);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} nc_zstream;
enum { NC_Z_NO_FLUSH = 0, NC_Z_OK = 0, NC_Z_STREAM_END = 1, NC_Z_MEM_ERROR = -4, NC_Z_BUF_ERROR = -5 };

// brotli/decode.h
typedef struct nc_brotli nc_brotli;
enum { NC_BROTLI_ERROR = 0, NC_BROTLI_SUCCESS = 1, NC_BROTLI_MORE_INPUT = 2, NC_BROTLI_MORE_OUTPUT = 3 };
/// Errors of memory are from the first down to the last.
enum { NC_BROTLI_ERROR_ALLOC_FIRST = -21, NC_BROTLI_ERROR_ALLOC_LAST = -30, NC_BROTLI_ERROR_WINDOW_BITS = -13 };

// zstd.h
typedef struct nc_zstd nc_zstd;
typedef struct nc_zstd_in {
    const void *src;
    size_t size, pos;
} nc_zstd_in;
typedef struct nc_zstd_out {
    void *dst;
    size_t size, pos;
} nc_zstd_out;
enum { NC_ZSTD_WINDOW_LOG_MAX = 100 };
/// zstd_errors.h
enum { NC_ZSTD_ERROR_WINDOW_TOO_LARGE = 16, NC_ZSTD_ERROR_MEMORY = 64 };

struct nc_coding_functions {
    int (*inflateInit2_)(nc_zstream *, int window_bits, const char *version, int size);
    int (*inflate)(nc_zstream *, int flush);
    int (*inflateReset2)(nc_zstream *, int window_bits);
    int (*inflateEnd)(nc_zstream *);
    const char *(*zlibVersion)(void);

    nc_brotli *(*BrotliDecoderCreateInstance)(
        void *(*)(void *, size_t), void (*)(void *, void *), void *opaque);
    void (*BrotliDecoderDestroyInstance)(nc_brotli *);
    int (*BrotliDecoderDecompressStream)(nc_brotli *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    int (*BrotliDecoderGetErrorCode)(const nc_brotli *);

    nc_zstd *(*ZSTD_createDStream)(void);
    size_t (*ZSTD_freeDStream)(nc_zstd *);
    size_t (*ZSTD_DCtx_setParameter)(nc_zstd *, int parameter, int value);
    size_t (*ZSTD_decompressStream)(nc_zstd *, nc_zstd_out *, nc_zstd_in *);
    unsigned (*ZSTD_isError)(size_t);
    int (*ZSTD_getErrorCode)(size_t);

    int has_zlib, has_brotli, has_zstd;
};

/// Loads the libraries at the first call. Thread safe.
const struct nc_coding_functions *nc_coding_load(void);

#endif
