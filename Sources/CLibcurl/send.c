#if defined(__linux__)
// Feeds libcurl with the body of a request.
#define _GNU_SOURCE
#include "include/nc_loop.h"
#include "include/nc_transfer.h"
#include "nc_callbacks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static size_t fail(nc_transfer *transfer, nc_failure failure, int error) {
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
    if (count < 0) return fail(transfer, NC_FAILURE_BODY_READ, errno);
    if (count == 0) return fail(transfer, NC_FAILURE_BODY_SHORT, 0);
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
        else if (result == NC_READFUNC_ABORT) return fail(transfer, NC_FAILURE_BODY_STREAM, 0);
        else transfer->upload_offset += (int64_t)result;
        return result;
    }
    int64_t rest = transfer->upload_length - transfer->upload_offset;
    if (rest <= 0) return 0;
    if ((int64_t)capacity > rest) capacity = (size_t)rest;
    if (transfer->upload == NC_UPLOAD_FILE) return read_file(transfer, buffer, capacity);
    memcpy(buffer, transfer->upload_bytes + transfer->upload_offset, capacity);
    transfer->upload_offset += (int64_t)capacity;
    return capacity;
}

int nc_on_seek(void *raw, int64_t offset, int origin) {
    nc_transfer *transfer = raw;
    if (origin != SEEK_SET) return NC_SEEKFUNC_FAIL;
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
typedef int nc_unused_send;
#endif
