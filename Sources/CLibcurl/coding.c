#if defined(__linux__)
// Decodes a content coding, piece by piece.
#include "include/nc_coding.h"

#include "nc_coding_libraries.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Memory

struct nc_budget {
    atomic_size_t used;
    size_t limit;
};

nc_budget *nc_budget_make(size_t limit) {
    nc_budget *budget = calloc(1, sizeof *budget);
    if (budget) budget->limit = limit;
    return budget;
}

void nc_budget_free(nc_budget *budget) { free(budget); }

size_t nc_budget_used(const nc_budget *budget) { return atomic_load_explicit(&budget->used, memory_order_relaxed); }

static bool charge(nc_budget *budget, size_t size) {
    size_t before = atomic_fetch_add_explicit(&budget->used, size, memory_order_relaxed);
    if (size <= budget->limit && before <= budget->limit - size) return true;
    atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);
    return false;
}

static void discharge(nc_budget *budget, size_t size) {
    atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);
}

/// The bytes in front of each block: its size, and padding for alignment.
enum { PREFIX = 16 };

struct nc_decoder {
    nc_coding coding;
    nc_budget *budget;
    nc_zstream zlib;
    nc_brotli *brotli;
    nc_zstd *zstd;
    /// The bytes that zstd has allocated without `allocate`.
    size_t charged;
    /// The possible beginning of a member, of a frame, or of either form of deflate, until it is long enough to decide.
    uint8_t start[4];
    size_t start_length;
    bool is_begun, is_between, has_surplus, out_of_memory;
};

static void *allocate(void *raw, size_t size) {
    nc_decoder *decoder = raw;
    if (size > SIZE_MAX - PREFIX || !charge(decoder->budget, size + PREFIX)) {
        decoder->out_of_memory = true;
        return NULL;
    }
    uint8_t *block = malloc(size + PREFIX);
    if (!block) {
        discharge(decoder->budget, size + PREFIX);
        decoder->out_of_memory = true;
        return NULL;
    }
    memcpy(block, &size, sizeof size);
    return block + PREFIX;
}

static void *allocate_items(void *raw, unsigned items, unsigned size) { return allocate(raw, (size_t)items * size); }

static void release(void *raw, void *address) {
    nc_decoder *decoder = raw;
    if (!address) return;
    uint8_t *block = (uint8_t *)address - PREFIX;
    size_t size;
    memcpy(&size, block, sizeof size);
    discharge(decoder->budget, size + PREFIX);
    free(block);
}

/// Charges what zstd has allocated since the last time: mostly the window, of 8 MiB at most, at the beginning of a frame.
static bool charge_zstd(nc_decoder *decoder) {
    size_t size = nc_codings.ZSTD_sizeof_DStream(decoder->zstd);
    if (size > decoder->charged && !charge(decoder->budget, size - decoder->charged)) return false;
    if (size < decoder->charged) discharge(decoder->budget, decoder->charged - size);
    decoder->charged = size;
    return true;
}

// Making

enum { GZIP_BITS = 15 + 16, ZLIB_BITS = 15, RAW_BITS = -15, ZSTD_WINDOW_LOG = 23 };

nc_decoder *nc_decoder_make(nc_coding coding, nc_budget *budget) {
    if (!nc_coding_is_available(coding)) return NULL;
    nc_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    decoder->budget = budget;
    bool made = false;
    switch (coding) {
    case NC_CODING_GZIP:
    case NC_CODING_DEFLATE:
        decoder->zlib.zalloc = allocate_items;
        decoder->zlib.zfree = release;
        decoder->zlib.opaque = decoder;
        made = !nc_codings.inflateInit2_(
            &decoder->zlib, coding == NC_CODING_GZIP ? GZIP_BITS : ZLIB_BITS, nc_codings.zlibVersion(),
            sizeof decoder->zlib);
        break;
    case NC_CODING_BROTLI:
        decoder->brotli = nc_codings.BrotliDecoderCreateInstance(allocate, release, decoder);
        made = decoder->brotli;
        break;
    case NC_CODING_ZSTD:
        decoder->zstd = nc_codings.ZSTD_createDStream();
        made = decoder->zstd && charge_zstd(decoder)
            && !nc_codings.ZSTD_isError(nc_codings.ZSTD_DCtx_setParameter(
                decoder->zstd, NC_ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG));
        break;
    }
    if (made) return decoder;
    nc_decoder_free(decoder);
    return NULL;
}

void nc_decoder_free(nc_decoder *decoder) {
    if (decoder->zlib.state) nc_codings.inflateEnd(&decoder->zlib);
    if (decoder->brotli) nc_codings.BrotliDecoderDestroyInstance(decoder->brotli);
    if (decoder->zstd) nc_codings.ZSTD_freeDStream(decoder->zstd);
    discharge(decoder->budget, decoder->charged);
    free(decoder);
}

// Decoding

typedef struct nc_piece {
    const uint8_t *bytes;
    size_t count;
    uint8_t *output;
    size_t capacity;
} nc_piece;

static nc_decoded decode_zlib(nc_decoder *decoder, nc_piece *piece) {
    nc_zstream *stream = &decoder->zlib;
    stream->next_in = piece->bytes;
    stream->avail_in = piece->count > UINT_MAX ? UINT_MAX : (unsigned)piece->count;
    stream->next_out = piece->output;
    stream->avail_out = piece->capacity > UINT_MAX ? UINT_MAX : (unsigned)piece->capacity;
    int result = nc_codings.inflate(stream, NC_Z_NO_FLUSH);
    piece->count -= (size_t)(stream->next_in - piece->bytes);
    piece->bytes = stream->next_in;
    piece->capacity -= (size_t)(stream->next_out - piece->output);
    piece->output = stream->next_out;
    switch (result) {
    case NC_Z_STREAM_END: decoder->is_between = true; return NC_DECODED_OK;
    case NC_Z_OK:
    case NC_Z_BUF_ERROR: return NC_DECODED_OK;
    case NC_Z_MEM_ERROR: return NC_DECODED_NO_MEMORY;
    default: return NC_DECODED_BROKEN;
    }
}

static nc_decoded decode_brotli(nc_decoder *decoder, nc_piece *piece) {
    int result = nc_codings.BrotliDecoderDecompressStream(
        decoder->brotli, &piece->count, &piece->bytes, &piece->capacity, &piece->output, NULL);
    if (result == NC_BROTLI_SUCCESS) decoder->is_between = true;
    if (result != NC_BROTLI_ERROR) return NC_DECODED_OK;
    int code = nc_codings.BrotliDecoderGetErrorCode(decoder->brotli);
    if (code == NC_BROTLI_ERROR_WINDOW_BITS) return NC_DECODED_LARGE_WINDOW;
    return code <= NC_BROTLI_ERROR_ALLOC_FIRST && code >= NC_BROTLI_ERROR_ALLOC_LAST ? NC_DECODED_NO_MEMORY
                                                                                     : NC_DECODED_BROKEN;
}

static nc_decoded decode_zstd(nc_decoder *decoder, nc_piece *piece) {
    nc_zstd_in input = {piece->bytes, piece->count, 0};
    nc_zstd_out output = {piece->output, piece->capacity, 0};
    size_t result = nc_codings.ZSTD_decompressStream(decoder->zstd, &output, &input);
    piece->bytes += input.pos;
    piece->count -= input.pos;
    piece->output += output.pos;
    piece->capacity -= output.pos;
    if (nc_codings.ZSTD_isError(result)) {
        switch (nc_codings.ZSTD_getErrorCode(result)) {
        case NC_ZSTD_ERROR_WINDOW_TOO_LARGE: return NC_DECODED_LARGE_WINDOW;
        case NC_ZSTD_ERROR_MEMORY: return NC_DECODED_NO_MEMORY;
        default: return NC_DECODED_BROKEN;
        }
    }
    if (result == 0) decoder->is_between = true;
    return charge_zstd(decoder) ? NC_DECODED_OK : NC_DECODED_NO_MEMORY;
}

static nc_decoded decode(nc_decoder *decoder, nc_piece *piece) {
    switch (decoder->coding) {
    case NC_CODING_GZIP:
    case NC_CODING_DEFLATE: return decode_zlib(decoder, piece);
    case NC_CODING_BROTLI: return decode_brotli(decoder, piece);
    case NC_CODING_ZSTD: return decode_zstd(decoder, piece);
    }
    return NC_DECODED_BROKEN;
}

// Beginnings

static bool is_skippable_frame(const uint8_t *start) {
    return start[0] >= 0x50 && start[0] <= 0x5F && start[1] == 0x2A && start[2] == 0x4D && start[3] == 0x18;
}

static bool is_frame(const uint8_t *start) {
    return start[0] == 0x28 && start[1] == 0xB5 && start[2] == 0x2F && start[3] == 0xFD;
}

/// The number of bytes that decide what begins here; 0 if there is nothing to decide.
static size_t needed(const nc_decoder *decoder) {
    switch (decoder->coding) {
    case NC_CODING_GZIP: return 2;
    case NC_CODING_DEFLATE: return decoder->is_begun ? 1 : 2;
    case NC_CODING_BROTLI: return decoder->is_begun ? 1 : 0;
    case NC_CODING_ZSTD: return 4;
    }
    return 0;
}

/// Begins a member or frame, or decides on the form of deflate. Other bytes after the end are surplus.
static nc_decoded begin(nc_decoder *decoder) {
    const uint8_t *start = decoder->start;
    switch (decoder->coding) {
    case NC_CODING_GZIP:
        if (start[0] == 0x1F && start[1] == 0x8B) {
            if (decoder->is_begun) nc_codings.inflateReset2(&decoder->zlib, GZIP_BITS);
        } else if (decoder->is_begun) {
            decoder->has_surplus = true;
        } else {
            return NC_DECODED_BROKEN;
        }
        break;
    case NC_CODING_DEFLATE:
        if (decoder->is_begun) decoder->has_surplus = true;
        else if ((start[0] & 0x0F) != 8 || (start[0] << 8 | start[1]) % 31)
            nc_codings.inflateReset2(&decoder->zlib, RAW_BITS);
        break;
    case NC_CODING_BROTLI: decoder->has_surplus = decoder->is_begun; break;
    case NC_CODING_ZSTD:
        if (!is_frame(start) && !is_skippable_frame(start)) {
            if (!decoder->is_begun) return NC_DECODED_BROKEN;
            decoder->has_surplus = true;
        }
        break;
    }
    decoder->is_begun = true;
    decoder->is_between = false;
    return NC_DECODED_OK;
}

nc_decoded nc_decode(
    nc_decoder *decoder, const uint8_t *input, size_t count, size_t *taken, uint8_t *output, size_t capacity,
    size_t *made) {
    nc_piece piece = {input, count, output, capacity};
    nc_decoded result = NC_DECODED_OK;
    while (result == NC_DECODED_OK) {
        if (decoder->has_surplus) {
            piece.count = 0;
            break;
        }
        if (!decoder->is_begun || decoder->is_between) {
            while (piece.count && decoder->start_length < needed(decoder)) {
                decoder->start[decoder->start_length++] = *piece.bytes++;
                piece.count--;
            }
            if (decoder->start_length < needed(decoder) || (!piece.count && !decoder->start_length)) break;
            result = begin(decoder);
            continue;
        }
        // The bytes that were held back for the decision go first.
        if (decoder->start_length) {
            uint8_t start[sizeof decoder->start];
            memcpy(start, decoder->start, sizeof start);
            nc_piece first = {start, decoder->start_length, piece.output, piece.capacity};
            decoder->start_length = 0;
            while (first.count && result == NC_DECODED_OK && !decoder->is_between) {
                size_t before = first.count;
                result = decode(decoder, &first);
                if (first.count == before) break;
            }
            piece.output = first.output;
            piece.capacity = first.capacity;
            // A very small frame may end within these bytes, and the next one begin.
            memcpy(decoder->start, first.bytes, first.count);
            decoder->start_length = first.count;
            if (first.count && !decoder->is_between) break;
            continue;
        }
        size_t left = piece.count, room = piece.capacity;
        result = decode(decoder, &piece);
        if (decoder->is_between && piece.count) continue;
        if (!piece.count || !piece.capacity || (piece.count == left && piece.capacity == room)) break;
    }
    if (decoder->out_of_memory) result = NC_DECODED_NO_MEMORY;
    *taken = count - piece.count;
    *made = (size_t)(piece.output - output);
    return result;
}

int nc_decoder_is_complete(const nc_decoder *decoder) { return decoder->is_between || decoder->has_surplus; }

int nc_decoder_has_surplus(const nc_decoder *decoder) {
    return decoder->has_surplus || (decoder->is_between && decoder->start_length);
}
#endif
