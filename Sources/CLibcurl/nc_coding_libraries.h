// The functions of zlib, brotli and zstd, as their headers declare them.
#ifndef NC_CODING_LIBRARIES_H
#define NC_CODING_LIBRARIES_H

#include "nc_private.h"

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
enum { NC_BROTLI_ERROR = 0, NC_BROTLI_SUCCESS = 1 };
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

#define NC_ZLIB_FUNCTIONS(X)                                                                                           \
    X(int, inflateInit2_, (nc_zstream *, int window_bits, const char *version, int size))                              \
    X(int, inflate, (nc_zstream *, int flush))                                                                         \
    X(int, inflateReset2, (nc_zstream *, int window_bits))                                                             \
    X(int, inflateEnd, (nc_zstream *))                                                                                 \
    X(const char *, zlibVersion, (void))

#define NC_BROTLI_FUNCTIONS(X)                                                                                         \
    X(nc_brotli *, BrotliDecoderCreateInstance, (void *(*)(void *, size_t), void (*)(void *, void *), void *opaque))   \
    X(void, BrotliDecoderDestroyInstance, (nc_brotli *))                                                               \
    X(int, BrotliDecoderDecompressStream, (nc_brotli *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *))   \
    X(int, BrotliDecoderGetErrorCode, (const nc_brotli *))

#define NC_ZSTD_FUNCTIONS(X)                                                                                           \
    X(nc_zstd *, ZSTD_createDStream, (void))                                                                           \
    X(size_t, ZSTD_freeDStream, (nc_zstd *))                                                                           \
    X(size_t, ZSTD_sizeof_DStream, (const nc_zstd *))                                                                  \
    X(size_t, ZSTD_DCtx_setParameter, (nc_zstd *, int parameter, int value))                                           \
    X(size_t, ZSTD_decompressStream, (nc_zstd *, nc_zstd_out *, nc_zstd_in *))                                         \
    X(unsigned, ZSTD_isError, (size_t))                                                                                \
    X(int, ZSTD_getErrorCode, (size_t))

struct nc_coding_functions {
    NC_ZLIB_FUNCTIONS(NC_SLOT)
    NC_BROTLI_FUNCTIONS(NC_SLOT)
    NC_ZSTD_FUNCTIONS(NC_SLOT)
};

/// Only those of a coding that `nc_coding_is_available`.
extern struct nc_coding_functions nc_codings;

#endif
