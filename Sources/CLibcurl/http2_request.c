#if defined(__linux__)
// Sends a request, which is written for HTTP/1.1, as a stream of HTTP/2 (RFC 9113, sections 8.2 and 8.3).
#include "nc_private.h"
#include "nc_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// MARK: Fields

typedef struct nc_fields {
    nc_h2_nv *list;
    size_t count;
    char *text;
} nc_fields;

static bool is(const char *line, size_t length, const char *name) {
    return strlen(name) == length && !strncasecmp(line, name, length);
}

/// Whether HTTP/2 does not have the field: it describes the connection, or a pseudo-field or frame replaces it.
static bool is_left_out(const char *line, size_t length, const char *value, const nc_transfer *transfer) {
    static const char *const names[] = {"connection", "proxy-connection", "keep-alive", "transfer-encoding",
                                        "upgrade",    "host",             "content-length", "http2-settings"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (is(line, length, names[index])) return true;
    if (is(line, length, "te")) return strcasecmp(value, "trailers") != 0;
    return is(line, length, "expect") && !transfer->awaits_continue;
}

static void add(nc_fields *fields, const char *name, size_t name_length, const char *value, size_t value_length) {
    nc_h2_nv *field = &fields->list[fields->count++];
    *field = (nc_h2_nv){
        .name = (uint8_t *)name, .value = (uint8_t *)value, .namelen = name_length, .valuelen = value_length};
}

/// `host:port` of a URL, without the port of its scheme.
static size_t authority_length(const nc_url_parts *parts) {
    size_t end = parts->port == (parts->is_https ? 443 : 80) ? parts->host_end : parts->authority_end;
    // Without a colon at the end.
    if (end > parts->host_end + 1 || end == parts->host_end) return end - parts->host;
    return parts->host_end - parts->host;
}

static void free_fields(nc_fields *fields) {
    free(fields->list);
    free(fields->text);
}

/// Returns 0, or -1 if there is no memory.
static int make_fields(nc_fields *fields, const nc_request *request, const nc_transfer *transfer) {
    const char *url = request->url, *host = NULL;
    size_t length = strlen(url), host_length = 0, count = 8;
    nc_url_parts parts;
    if (nc_url_split(url, length, &parts)) return -1;
    for (const nc_slist *node = request->headers; node; node = node->next) count++;
    // Room for the path, and the digits of a length.
    *fields = (nc_fields){.list = malloc(count * sizeof *fields->list), .text = malloc(length + 64)};
    if (!fields->list || !fields->text) {
        free_fields(fields);
        return -1;
    }
    char *path = fields->text, *digits = fields->text + length + 8;
    size_t path_end = parts.authority_end;
    while (path_end < length && url[path_end] != '#') path_end++;
    size_t path_length = 0;
    if (path_end == parts.authority_end || url[parts.authority_end] != '/') path[path_length++] = '/';
    memcpy(path + path_length, url + parts.authority_end, path_end - parts.authority_end);
    path_length += path_end - parts.authority_end;

    add(fields, ":method", 7, request->method, strlen(request->method));
    add(fields, ":scheme", 7, "https", parts.is_https ? 5 : 4);
    size_t authority = fields->count;
    add(fields, ":authority", 10, url + parts.host, authority_length(&parts));
    add(fields, ":path", 5, path, path_length);
    bool accepts = false;
    for (const nc_slist *node = request->headers; node; node = node->next) {
        const char *line = node->data;
        size_t name_length = strcspn(line, ":;");
        const char *value = line + name_length + (line[name_length] ? 1 : 0);
        bool is_suppressed = line[name_length] == ':' && !*value;
        while (*value == ' ') value++;
        if (is(line, name_length, "accept")) accepts = true;
        if (is(line, name_length, "host") && *value) host = value, host_length = strlen(value);
        if (is_suppressed || is_left_out(line, name_length, value, transfer)) continue;
        add(fields, line, name_length, value, strlen(value));
    }
    if (host) fields->list[authority].value = (uint8_t *)host, fields->list[authority].valuelen = host_length;
    // libcurl adds these over HTTP/1.1.
    if (!accepts) add(fields, "accept", 6, "*/*", 3);
    const char *method = request->method;
    bool expects_body = !strcmp(method, "POST") || !strcmp(method, "PUT") || !strcmp(method, "PATCH");
    if (transfer->upload == NC_UPLOAD_NONE ? expects_body : transfer->upload_length >= 0) {
        int written = snprintf(
            digits, 24, "%lld", transfer->upload == NC_UPLOAD_NONE ? 0 : (long long)transfer->upload_length);
        add(fields, "content-length", 14, digits, (size_t)written);
    }
    return 0;
}

// MARK: The stream

static ssize_t on_body(
    nc_h2 *http2, int32_t stream, uint8_t *buffer, size_t capacity, uint32_t *flags, nc_h2_source *source, void *raw) {
    (void)source, (void)raw;
    nc_transfer *transfer = nc_h2_lib.session_get_stream_user_data(http2, stream);
    if (!transfer) return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (transfer->awaits_continue) return NC_H2_ERR_DEFERRED;
    size_t count = nc_on_read((char *)buffer, 1, capacity, transfer);
    if (count == NC_READFUNC_PAUSE) return NC_H2_ERR_DEFERRED;
    int64_t length = transfer->upload_length, rest = length - transfer->upload_offset;
    if (count == 0 && length >= 0 && rest > 0 && !transfer->failure) transfer->failure = NC_FAILURE_BODY_SHORT;
    if (count == NC_READFUNC_ABORT || transfer->failure) return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (count == 0 || (length >= 0 && rest <= 0)) {
        *flags |= NC_H2_DATA_FLAG_EOF;
        transfer->is_body_sent = 1;
    }
    return (ssize_t)count;
}

int nc_session_submit(nc_session *session, nc_transfer *transfer, const nc_request *request, int64_t began) {
    nc_fields fields;
    transfer->is_head_request = !strcmp(request->method, "HEAD");
    int has_body = transfer->upload != NC_UPLOAD_NONE && transfer->upload_length != 0;
    transfer->awaits_continue = has_body && transfer->expects_continue;
    // Over HTTP/2, a 417 does not repeat the request.
    transfer->expects_continue = 0;
    if (make_fields(&fields, request, transfer)) return -1;
    nc_h2_provider body = {.read_callback = on_body};
    int32_t stream = nc_h2_lib.submit_request(
        session->http2, NULL, fields.list, fields.count, has_body ? &body : NULL, transfer);
    free_fields(&fields);
    if (stream < 0) {
        session->is_draining = 1;
        return -1;
    }
    // After an idle time: if the server has closed the connection, it is noticed before the request is sent.
    if (!session->stream_count) session->reads_on = 1;
    nc_loop *loop = session->loop;
    transfer->is_stream = transfer->request_began = 1;
    transfer->session = session;
    transfer->stream = stream;
    transfer->began = began;
    transfer->last_activity = loop->now;
    nc_connection_take(transfer, session->connection->connection);
    if (session->exchange_count++) {
        memcpy(transfer->base.peer, session->metrics.peer, sizeof transfer->base.peer);
        transfer->base.peer_port = session->metrics.peer_port;
    } else {
        transfer->base = session->metrics;
        transfer->base.connections = 1;
    }
    transfer->next_stream = session->streams;
    if (session->streams) session->streams->previous_stream = transfer;
    session->streams = transfer;
    session->stream_count++;
    nc_session_note(session);
    return 0;
}
#else
typedef int nc_unused_http2_request;
#endif
