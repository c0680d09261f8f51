#if defined(__linux__)
// Collects head and body of a response, and reads the body of a request. libcurl and HTTP/2 sessions call these functions.
#define _GNU_SOURCE
#include "nc_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// MARK: The response

enum { FIRST_BLOCK = 4096, LARGEST_FIRST_BLOCK = 1 << 20, SMALL_STREAM = 48 * 1024 };

static size_t fail(nc_transfer *transfer, nc_failure failure) {
    if (!transfer->failure) transfer->failure = failure;
    return 0;
}

/// Moves a streamed body into a block, which is used again later.
static bool use_block(nc_transfer *transfer) {
    uint8_t *block = nc_block_take();
    if (!block) return false;
    if (transfer->body_length) memcpy(block, transfer->body, transfer->body_length);
    free(transfer->body);
    transfer->body = block;
    transfer->body_capacity = NC_BLOCK_SIZE;
    transfer->body_is_block = 1;
    return true;
}

static bool grow(nc_transfer *transfer, size_t needed) {
    if (needed <= transfer->body_capacity) return true;
    size_t capacity = transfer->body_capacity;
    if (!capacity) {
        // A declared length is reserved up to a limit only, since the server may not send as much.
        int64_t rest = transfer->content_length - transfer->delivered;
        if (transfer->streams) capacity = transfer->block_hint;
        if (rest > 0 && rest < LARGEST_FIRST_BLOCK && (!transfer->streams || (size_t)rest < capacity))
            capacity = (size_t)rest;
        else if (rest >= LARGEST_FIRST_BLOCK && !transfer->streams)
            capacity = LARGEST_FIRST_BLOCK;
        if (!capacity) capacity = FIRST_BLOCK;
    }
    while (capacity < needed) capacity *= 2;
    if (transfer->streams && capacity > SMALL_STREAM && needed <= NC_BLOCK_SIZE) return use_block(transfer);
    if (transfer->body_is_block) {
        uint8_t *copy = malloc(capacity);
        if (!copy) return false;
        memcpy(copy, transfer->body, transfer->body_length);
        nc_block_give(transfer->body);
        transfer->body_is_block = 0;
        transfer->body = copy;
        transfer->body_capacity = capacity;
        return true;
    }
    uint8_t *larger = realloc(transfer->body, capacity);
    if (!larger) return false;
    transfer->body = larger;
    transfer->body_capacity = capacity;
    return true;
}

/// The limit is for the decoded body. A body that cannot be compressed is a little larger in its coding.
static int64_t collect_limit(const nc_transfer *transfer) {
    int64_t limit = transfer->collect_limit;
    if (!transfer->is_encoded) return limit;
    int64_t more = limit / 16 + 64 * 1024;
    return limit > INT64_MAX - more ? INT64_MAX : limit + more;
}

size_t nc_on_write(char *bytes, size_t size, size_t count, void *raw) {
    nc_transfer *transfer = raw;
    size_t length = size * count;
    transfer->last_activity = transfer->loop->now;
    if (transfer->ends_with_head) return length;
    // The window of an HTTP/2 stream limits it instead.
    if (transfer->streams && !transfer->is_stream && transfer->outstanding + transfer->body_length >= transfer->high_water) {
        transfer->receive_paused = 1;
        nc_transfer_signal(transfer);
        return NC_WRITEFUNC_PAUSE;
    }
    int64_t delivered = transfer->delivered + (int64_t)length;
    if (!transfer->streams && delivered > collect_limit(transfer)) return fail(transfer, NC_FAILURE_COLLECT_LIMIT);
    if (!grow(transfer, transfer->body_length + length)) return fail(transfer, NC_FAILURE_MEMORY);
    memcpy(transfer->body + transfer->body_length, bytes, length);
    transfer->body_length += length;
    transfer->delivered = delivered;
    if (transfer->streams || transfer->wants_events) nc_transfer_signal(transfer);
    return length;
}

static bool is_named(const char *line, size_t length, const char *name, size_t name_length) {
    return length > name_length && line[name_length] == ':' && !strncasecmp(line, name, name_length);
}

/// All declared lengths must be equal, also several in one field (RFC 9112, section 6.3).
static nc_failure read_lengths(nc_transfer *transfer, const char *text, const char *end) {
    bool any = false;
    while (text < end) {
        while (text < end && (*text == ' ' || *text == '\t' || *text == ',')) text++;
        if (text == end) break;
        int64_t value = 0;
        const char *digits = text;
        while (text < end && *text >= '0' && *text <= '9') {
            if (value > (INT64_MAX - 9) / 10) return NC_FAILURE_INVALID_LENGTH;
            value = value * 10 + (*text++ - '0');
        }
        while (text < end && (*text == ' ' || *text == '\t')) text++;
        if (text == digits || (text < end && *text != ',')) return NC_FAILURE_INVALID_LENGTH;
        if (transfer->content_length >= 0 && transfer->content_length != value) return NC_FAILURE_CONFLICTING_LENGTHS;
        transfer->content_length = value;
        any = true;
    }
    return any ? NC_FAILURE_NONE : NC_FAILURE_INVALID_LENGTH;
}

/// Only `chunked` was requested, which libcurl decodes. With another registered coding (RFC 9112, section 7.2) the bytes would not be the
/// body. Unknown names are ignored.
static nc_failure read_transfer_codings(const char *text, const char *end) {
    static const char *const refused[] = {"gzip", "x-gzip", "deflate", "compress", "x-compress"};
    while (text < end) {
        while (text < end && (*text == ' ' || *text == '\t' || *text == ',')) text++;
        const char *name = text;
        while (text < end && *text != ' ' && *text != '\t' && *text != ',') text++;
        size_t length = (size_t)(text - name);
        for (size_t index = 0; index < sizeof refused / sizeof *refused; index++)
            if (length == strlen(refused[index]) && !strncasecmp(name, refused[index], length))
                return NC_FAILURE_TRANSFER_CODING;
    }
    return NC_FAILURE_NONE;
}

static nc_failure look_at(nc_transfer *transfer, const char *line, size_t length) {
    switch (line[0] | 0x20) {
    case 'c':
        if (is_named(line, length, "content-length", 14)) return read_lengths(transfer, line + 15, line + length);
        if (is_named(line, length, "content-encoding", 16) && transfer->decodes) {
            const char *value = line + 17;
            size_t rest = length - 17;
            while (rest && (*value == ' ' || *value == '\t')) value++, rest--;
            if (rest && !(rest >= 8 && !strncasecmp(value, "identity", 8))) transfer->is_encoded = 1;
        }
        break;
    case 't':
        if (is_named(line, length, "transfer-encoding", 17)) {
            transfer->is_chunked = 1;
            return read_transfer_codings(line + 18, line + length);
        }
        break;
    default: break;
    }
    return NC_FAILURE_NONE;
}

static void begin_head(nc_transfer *transfer, const char *line, size_t length) {
    transfer->in_head = 1;
    transfer->head_done = transfer->head_held = 0;
    transfer->head_length = 0;
    transfer->body_length = 0;
    transfer->delivered = 0;
    transfer->content_length = -1;
    transfer->is_chunked = transfer->is_encoded = 0;
    transfer->status = transfer->version = 0;
    size_t index = 5;
    int version = 0, digits = 0;
    for (; index < length && line[index] != ' '; index++)
        if (line[index] >= '0' && line[index] <= '9' && digits++ < 2) version = version * 10 + (line[index] - '0');
    transfer->version = digits == 1 ? version * 10 : version;
    while (index < length && line[index] == ' ') index++;
    for (digits = 0; digits < 3 && index < length && line[index] >= '0' && line[index] <= '9'; index++, digits++)
        transfer->status = transfer->status * 10 + (line[index] - '0');
}

static bool is_interim(const nc_transfer *transfer) {
    return transfer->status >= 100 && transfer->status < 200 && transfer->status != 101;
}

static size_t end_head(nc_transfer *transfer, size_t length) {
    transfer->in_head = 0;
    if (is_interim(transfer)) return length;
    // After a 417, libcurl sends the request again without `Expect`. The 417 is final only if that fails.
    transfer->head_held = transfer->status == 417 && transfer->expects_continue;
    transfer->head_done = !transfer->head_held;
    if (transfer->status == 205 && !transfer->is_head_request && transfer->content_length != 0) {
        // libcurl would wait for a body until the connection closes. An HTTP/2 stream has an end of its own.
        transfer->ends_with_head = 1;
        if (transfer->version < 20) return 0;
    }
    if (!transfer->streams && nc_transfer_has_body(transfer) && transfer->content_length > collect_limit(transfer))
        return fail(transfer, NC_FAILURE_COLLECT_LIMIT);
    if (transfer->streams && transfer->head_done) nc_transfer_signal(transfer);
    return length;
}

static bool append(char **text, size_t *length, size_t *room, const char *line, size_t count) {
    size_t needed = *length + count;
    if (needed > *room) {
        size_t capacity = *room ? *room : 1024;
        while (capacity < needed) capacity *= 2;
        char *larger = realloc(*text, capacity);
        if (!larger) return false;
        *text = larger;
        *room = capacity;
    }
    memcpy(*text + *length, line, count);
    *length = needed;
    return true;
}

size_t nc_on_header(char *line, size_t size, size_t count, void *raw) {
    nc_transfer *transfer = raw;
    size_t length = size * count;
    transfer->last_activity = transfer->loop->now;
    transfer->head_total += length;
    if (transfer->head_total > transfer->head_limit) return fail(transfer, NC_FAILURE_HEAD_TOO_LARGE);
    // Fields after the body are a trailer section, which is not merged into the head (RFC 9110, section 6.5.1).
    if (transfer->head_done)
        return append(&transfer->trailers, &transfer->trailers_length, &transfer->trailers_capacity, line, length)
            ? length : fail(transfer, NC_FAILURE_MEMORY);
    if (!transfer->in_head) {
        if (length <= 5 || memcmp(line, "HTTP/", 5)) return length;
        begin_head(transfer, line, length);
        if (transfer->tells_steps && !is_interim(transfer)) nc_step_answered(transfer);
    } else if (length == 1 ? line[0] == '\n' : length == 2 && line[0] == '\r' && line[1] == '\n') {
        return end_head(transfer, length);
    } else {
        size_t end = length;
        while (end && (line[end - 1] == '\n' || line[end - 1] == '\r')) end--;
        nc_failure failure = end ? look_at(transfer, line, end) : NC_FAILURE_NONE;
        if (failure) return fail(transfer, failure);
    }
    return append(&transfer->head, &transfer->head_length, &transfer->head_capacity, line, length)
        ? length : fail(transfer, NC_FAILURE_MEMORY);
}

// MARK: The request's body

static size_t abort_reading(nc_transfer *transfer, nc_failure failure, int error) {
    if (!transfer->failure) {
        transfer->failure = failure;
        transfer->failure_errno = error;
    }
    return NC_READFUNC_ABORT;
}

static size_t read_file(nc_transfer *transfer, char *buffer, size_t capacity) {
    ssize_t count;
    do {
        count = pread(transfer->upload_fd, buffer, capacity, transfer->upload_base + transfer->upload_offset);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return abort_reading(transfer, NC_FAILURE_BODY_READ, errno);
    if (count == 0) return abort_reading(transfer, NC_FAILURE_BODY_SHORT, 0);
    transfer->upload_offset += count;
    return (size_t)count;
}

size_t nc_on_read(char *buffer, size_t size, size_t count, void *raw) {
    nc_transfer *transfer = raw;
    size_t capacity = size * count;
    transfer->last_activity = transfer->loop->now;
    if (transfer->wants_events) nc_transfer_signal(transfer);
    if (transfer->upload == NC_UPLOAD_STREAM) {
        size_t result = transfer->loop->handlers.read(transfer->owner, buffer, capacity);
        if (result == NC_READFUNC_PAUSE) transfer->send_paused = 1;
        else if (result == NC_READFUNC_ABORT) return abort_reading(transfer, NC_FAILURE_BODY_STREAM, 0);
        else transfer->upload_offset += (int64_t)result;
        if (!result || transfer->upload_offset == transfer->upload_length) transfer->is_body_sent = 1;
        return result;
    }
    int64_t rest = transfer->upload_length - transfer->upload_offset;
    if (rest <= 0) {
        transfer->is_body_sent = 1;
        return 0;
    }
    if ((int64_t)capacity > rest) capacity = (size_t)rest;
    if (transfer->upload == NC_UPLOAD_FILE) {
        capacity = read_file(transfer, buffer, capacity);
    } else {
        memcpy(buffer, transfer->upload_bytes + transfer->upload_offset, capacity);
        transfer->upload_offset += (int64_t)capacity;
    }
    if (transfer->upload_offset >= transfer->upload_length) transfer->is_body_sent = 1;
    return capacity;
}

int nc_on_seek(void *raw, int64_t offset, int origin) {
    nc_transfer *transfer = raw;
    if (origin != SEEK_SET) return NC_SEEKFUNC_FAIL;
    transfer->is_body_sent = 0;
    if (transfer->upload == NC_UPLOAD_STREAM) {
        if (offset != 0 || !transfer->loop->handlers.rewind(transfer->owner)) return NC_SEEKFUNC_FAIL;
        transfer->upload_offset = 0;
        return NC_SEEKFUNC_OK;
    }
    if (offset < 0 || offset > transfer->upload_length) return NC_SEEKFUNC_FAIL;
    transfer->upload_offset = offset;
    return NC_SEEKFUNC_OK;
}
#else
typedef int nc_unused_callbacks;
#endif
