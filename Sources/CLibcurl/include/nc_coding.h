// Decoders of content codings (RFC 9110, section 8.4.1), by zlib, brotli and zstd, which are loaded at run time.
#ifndef NC_CODING_H
#define NC_CODING_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum nc_coding {
    /// RFC 1952: one or several members, each with its checksum and length.
    NC_CODING_GZIP,
    /// RFC 1950, or the bare RFC 1951 that some servers send instead.
    NC_CODING_DEFLATE,
    /// RFC 7932, without the large windows of later drafts.
    NC_CODING_BROTLI,
    /// RFC 8878: one or several frames, with windows of up to 8 MiB (RFC 9659).
    NC_CODING_ZSTD,
} nc_coding;

/// Whether the library for it can be loaded. Loads all of them at the first call; thread safe.
int nc_coding_is_available(nc_coding coding);

/// The memory that the decoders of one transport may hold at the same time. Thread safe.
typedef struct nc_budget nc_budget;
nc_budget *_Nullable nc_budget_make(size_t limit);
void nc_budget_free(nc_budget *budget);
size_t nc_budget_used(const nc_budget *budget);

typedef enum nc_decoded {
    /// All input is consumed, or the output is full.
    NC_DECODED_OK,
    /// The input is not in the coding, or a checksum or length is wrong.
    NC_DECODED_BROKEN,
    /// The input requires a larger window than allowed.
    NC_DECODED_LARGE_WINDOW,
    /// The budget or the system's memory is exhausted.
    NC_DECODED_NO_MEMORY,
} nc_decoded;

typedef struct nc_decoder nc_decoder;
/// Returns a decoder, or NULL if the library or memory is missing. The budget must outlive it.
nc_decoder *_Nullable nc_decoder_make(nc_coding coding, nc_budget *budget);
void nc_decoder_free(nc_decoder *decoder);

/// Decodes until the input is consumed or the output is full; then there may be more output without more input. Bytes after the end of the
/// coded body are consumed and dropped.
nc_decoded nc_decode(
    nc_decoder *decoder, const uint8_t *_Nullable input, size_t count, size_t *taken,
    uint8_t *output, size_t capacity, size_t *made);
/// Whether the coded body is complete if the input ends here.
int nc_decoder_is_complete(const nc_decoder *decoder);
/// Whether there were bytes after the end of the coded body.
int nc_decoder_has_surplus(const nc_decoder *decoder);

#pragma clang assume_nonnull end

#endif
