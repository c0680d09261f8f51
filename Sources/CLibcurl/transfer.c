#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_transfer.h"

#include "include/nc_http2.h"
#include "include/nc_loader.h"
#include "include/nc_loop.h"
#include "nc_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

nc_transfer *nc_transfer_make(struct nc_loop *loop) {
    nc_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return NULL;
    nc_easy *easy = nc_curl.easy_init();
    if (!easy) {
        free(transfer);
        return NULL;
    }
    transfer->easy = easy;
    transfer->loop = loop;
    nc_transfer_clear(transfer);
    return transfer;
}

static void drop_body(nc_transfer *transfer) {
    if (transfer->body && transfer->body_is_block) nc_block_give(transfer->body);
    else free(transfer->body);
}

void nc_transfer_free(nc_transfer *transfer) {
    nc_curl.easy_cleanup(transfer->easy);
    if (transfer->upload_fd >= 0) close(transfer->upload_fd);
    drop_body(transfer);
    nc_list_free(transfer->addresses);
    free(transfer->head);
    free(transfer->trailers);
    nc_connection_leave(transfer);
    free(transfer);
}

void nc_transfer_clear(nc_transfer *transfer) {
    if (transfer->upload == NC_UPLOAD_FILE && transfer->upload_fd >= 0) close(transfer->upload_fd);
    nc_transfer fresh = {
        .easy = transfer->easy,
        .loop = transfer->loop,
        .head = transfer->head,
        .head_capacity = transfer->head_capacity,
        .content_length = -1,
        .upload_fd = -1,
        .watched_fd = -1,
    };
    drop_body(transfer);
    nc_list_free(transfer->addresses);
    free(transfer->trailers);
    nc_connection_leave(transfer);
    // libcurl fills the message buffer, so one byte is enough to clear it.
    memcpy(transfer, &fresh, offsetof(nc_transfer, error));
    transfer->error[0] = 0;
}

nc_option nc_transfer_bind(nc_transfer *transfer) {
    nc_easy *easy = transfer->easy;
    struct {
        nc_option option;
        const void *value;
    } pointers[] = {
        {NC_OPT_PRIVATE, transfer},
        {NC_OPT_ERRORBUFFER, transfer->error},
        {NC_OPT_WRITEFUNCTION, (void *)nc_on_write},
        {NC_OPT_WRITEDATA, transfer},
        {NC_OPT_HEADERFUNCTION, (void *)nc_on_header},
        {NC_OPT_HEADERDATA, transfer},
        {NC_OPT_OPENSOCKETFUNCTION, (void *)nc_on_open},
        {NC_OPT_OPENSOCKETDATA, transfer},
        {NC_OPT_CLOSESOCKETFUNCTION, (void *)nc_on_close},
        {NC_OPT_CLOSESOCKETDATA, transfer->loop},
    };
    for (size_t index = 0; index < sizeof pointers / sizeof *pointers; index++)
        if (nc_set_pointer(easy, pointers[index].option, pointers[index].value)) return pointers[index].option;
    if (nc_set_long(easy, NC_OPT_NOSIGNAL, 1)) return NC_OPT_NOSIGNAL;
    if (transfer->loop->stream_window > 0) {
        // With its own ALPN, libcurl would speak HTTP/2 itself.
        if (nc_set_long(easy, NC_OPT_SSL_ENABLE_ALPN, 0)) return NC_OPT_SSL_ENABLE_ALPN;
        if (nc_set_pointer(easy, NC_OPT_SSL_CTX_FUNCTION, (void *)nc_on_tls)) return NC_OPT_SSL_CTX_FUNCTION;
        if (nc_set_pointer(easy, NC_OPT_SSL_CTX_DATA, transfer)) return NC_OPT_SSL_CTX_DATA;
    }
    // Since 7.80. Without it the phases of errors are less exact, and a trust policy does not work.
    if (!nc_set_pointer(easy, NC_OPT_PREREQFUNCTION, (void *)nc_on_ready)) {
        if (nc_set_pointer(easy, NC_OPT_PREREQDATA, transfer)) return NC_OPT_PREREQDATA;
    }
    return 0;
}

void nc_transfer_reset(nc_transfer *transfer) { nc_curl.easy_reset(transfer->easy); }

#define SET(kind, option, value) \
    if (nc_set_##kind(easy, option, value)) return option

nc_option nc_transfer_prepare(nc_transfer *transfer, const nc_request *request, int is_plain_get) {
    nc_easy *easy = transfer->easy;
    SET(pointer, NC_OPT_URL, request->url);
    SET(pointer, NC_OPT_HTTPHEADER, request->headers);
    if (is_plain_get) return 0;

    transfer->needs_reset = 1;
    const char *method = request->method;
    if (!strcmp(method, "HEAD")) {
        transfer->is_head_request = 1;
        SET(long, NC_OPT_NOBODY, 1);
        return 0;
    }
    switch (transfer->upload) {
    case NC_UPLOAD_NONE:
        if (!strcmp(method, "POST") || !strcmp(method, "PUT") || !strcmp(method, "PATCH")) {
            // An empty body is declared where one is expected (RFC 9110, section 8.6).
            SET(long, NC_OPT_POST, 1);
            SET(offset, NC_OPT_POSTFIELDSIZE_LARGE, 0);
            SET(pointer, NC_OPT_POSTFIELDS, "");
        } else {
            SET(long, NC_OPT_HTTPGET, 1);
        }
        break;
    case NC_UPLOAD_MEMORY:
        // A small body is sent together with the head, a larger one is copied piece by piece.
        if (transfer->upload_length <= 32 * 1024 && !transfer->wants_events) {
            SET(long, NC_OPT_POST, 1);
            SET(offset, NC_OPT_POSTFIELDSIZE_LARGE, transfer->upload_length);
            SET(pointer, NC_OPT_POSTFIELDS, transfer->upload_bytes ? (const void *)transfer->upload_bytes : "");
            transfer->is_body_sent = 1;
            break;
        }
        // fall through
    case NC_UPLOAD_FILE:
    case NC_UPLOAD_STREAM:
        SET(pointer, NC_OPT_READFUNCTION, (void *)nc_on_read);
        SET(pointer, NC_OPT_READDATA, transfer);
        SET(pointer, NC_OPT_SEEKFUNCTION, (void *)nc_on_seek);
        SET(pointer, NC_OPT_SEEKDATA, transfer);
        SET(long, NC_OPT_UPLOAD, 1);
        SET(offset, NC_OPT_INFILESIZE_LARGE, transfer->upload_length);
        if (transfer->upload_length > 256 * 1024) SET(long, NC_OPT_UPLOAD_BUFFERSIZE, 256 * 1024);
        break;
    }
    SET(pointer, NC_OPT_CUSTOMREQUEST, method);
    return 0;
}

nc_option nc_transfer_resolve(nc_transfer *transfer, const char *entry) {
    nc_easy *easy = transfer->easy;
    transfer->needs_reset = 1;
    nc_slist *list = nc_list_append(NULL, entry);
    if (!list) return NC_OPT_RESOLVE;
    nc_list_free(transfer->addresses);
    transfer->addresses = list;
    SET(pointer, NC_OPT_RESOLVE, list);
    SET(pointer, NC_OPT_RESOLVER_START_FUNCTION, (void *)nc_on_look_up);
    SET(pointer, NC_OPT_RESOLVER_START_DATA, transfer);
    return 0;
}

static void *shrink(void *memory, size_t length, size_t capacity) {
    if (capacity < 4096 || length * 2 > capacity) return memory;
    void *smaller = realloc(memory, length);
    return smaller ? smaller : memory;
}

uint8_t *nc_transfer_take_body(nc_transfer *transfer, size_t *length, int *is_block) {
    uint8_t *body = transfer->body;
    *length = transfer->body_length;
    *is_block = transfer->body_is_block;
    if (!transfer->body_length) return NULL;
    if (!transfer->body_is_block) body = shrink(body, transfer->body_length, transfer->body_capacity);
    transfer->block_hint = transfer->body_length;
    transfer->body = NULL;
    transfer->body_length = transfer->body_capacity = 0;
    transfer->body_is_block = 0;
    return body;
}

char *nc_transfer_take_head(nc_transfer *transfer, size_t *length) {
    char *head = transfer->head;
    *length = transfer->head_length;
    transfer->head = NULL;
    transfer->head_length = transfer->head_capacity = 0;
    return head;
}

char *nc_transfer_take_trailers(nc_transfer *transfer, size_t *length) {
    char *trailers = transfer->trailers;
    *length = transfer->trailers_length;
    transfer->trailers = NULL;
    transfer->trailers_length = transfer->trailers_capacity = 0;
    return trailers;
}

int nc_transfer_apply_pause(nc_transfer *transfer) {
    if (transfer->is_stream) {
        nc_session_go_on(transfer);
        return 0;
    }
    return nc_curl.easy_pause(
        transfer->easy,
        (transfer->receive_paused ? NC_PAUSE_RECV : 0) | (transfer->send_paused ? NC_PAUSE_SEND : 0));
}

int nc_transfer_has_body(const nc_transfer *transfer) {
    int status = transfer->status;
    return !transfer->is_head_request && status >= 200 && status != 204 && status != 205 && status != 304;
}

void nc_transfer_signal(nc_transfer *transfer) {
    if (transfer->has_event) return;
    transfer->has_event = 1;
    transfer->next_event = NULL;
    nc_loop *loop = transfer->loop;
    if (loop->last_event) loop->last_event->next_event = transfer;
    else loop->first_event = transfer;
    loop->last_event = transfer;
}

int64_t nc_transfer_uploaded(const nc_transfer *transfer) {
    return transfer->is_stream ? transfer->upload_offset : nc_info_offset(transfer->easy, NC_INFO_SIZE_UPLOAD_T);
}

int64_t nc_transfer_downloaded(const nc_transfer *transfer) {
    return transfer->is_stream ? transfer->delivered : nc_info_offset(transfer->easy, NC_INFO_SIZE_DOWNLOAD_T);
}

/// At least 1, since 0 means that it did not happen.
static int64_t microseconds(int64_t from, int64_t to) { return to > from ? (to - from + 999) / 1000 : 1; }

/// The metrics of a stream: the times of opening its connection, and its own.
static void stream_metrics(const nc_transfer *transfer, nc_metrics *metrics) {
    *metrics = transfer->base;
    metrics->request_start = microseconds(transfer->began, transfer->submitted);
    metrics->first_byte = transfer->first_byte_at ? microseconds(transfer->began, transfer->first_byte_at) : 0;
    metrics->total = microseconds(transfer->began, transfer->ended ? transfer->ended : transfer->loop->now);
    metrics->sent = transfer->upload_offset;
    metrics->received = transfer->delivered;
}

void nc_transfer_metrics(nc_transfer *transfer, nc_metrics *metrics) {
    if (transfer->is_stream) return stream_metrics(transfer, metrics);
    nc_easy *easy = transfer->easy;
    metrics->name_lookup = nc_info_offset(easy, NC_INFO_NAMELOOKUP_TIME_T);
    metrics->connect = nc_info_offset(easy, NC_INFO_CONNECT_TIME_T);
    metrics->secure_connect = nc_info_offset(easy, NC_INFO_APPCONNECT_TIME_T);
    metrics->request_start = nc_info_offset(easy, NC_INFO_PRETRANSFER_TIME_T);
    metrics->first_byte = nc_info_offset(easy, NC_INFO_STARTTRANSFER_TIME_T);
    metrics->total = nc_info_offset(easy, NC_INFO_TOTAL_TIME_T);
    metrics->sent = nc_info_offset(easy, NC_INFO_SIZE_UPLOAD_T);
    metrics->received = nc_info_offset(easy, NC_INFO_SIZE_DOWNLOAD_T);
    metrics->connections = nc_info_long(easy, NC_INFO_NUM_CONNECTS);
    metrics->peer_port = nc_info_long(easy, NC_INFO_PRIMARY_PORT);
    const char *peer = nc_info_string(easy, NC_INFO_PRIMARY_IP);
    // libcurl began when the addresses were known.
    int64_t *times[] = {&metrics->name_lookup, &metrics->connect, &metrics->secure_connect,
                        &metrics->request_start, &metrics->first_byte, &metrics->total};
    for (size_t index = 0; index < sizeof times / sizeof *times; index++)
        if (*times[index] > 0) *times[index] += transfer->look_up_time;
    size_t length = peer ? strnlen(peer, sizeof metrics->peer - 1) : 0;
    if (length) memcpy(metrics->peer, peer, length);
    metrics->peer[length] = 0;
}

// MARK: Blocks

// Enough for two streams with fast readers.
enum { KEPT = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *kept[KEPT];
static int count;

uint8_t *nc_block_take(void) {
    uint8_t *block = NULL;
    pthread_mutex_lock(&lock);
    if (count) block = kept[--count];
    pthread_mutex_unlock(&lock);
    return block ? block : malloc(NC_BLOCK_SIZE);
}

void nc_block_give(uint8_t *block) {
    pthread_mutex_lock(&lock);
    if (count < KEPT) {
        kept[count++] = block;
        block = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(block);
}
#else
typedef int nc_unused_transfer;
#endif
