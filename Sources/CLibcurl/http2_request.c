#if defined(__linux__)
// A request, written for HTTP/1.1, as fields of HTTP/2 (RFC 9113, sections 8.2 and 8.3).
#include "nc_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is(const char *line, size_t length, const char *name) {
    return strlen(name) == length && !strncasecmp(line, name, length);
}

/// Fields of the connection, which HTTP/2 has none of, and those that pseudo-fields and frames take the place of.
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

/// `host:port` of a URL, without the port of `https`.
static size_t authority_length(const nc_url_parts *parts) {
    size_t end = parts->port == 443 ? parts->host_end : parts->authority_end;
    // A colon with nothing behind it.
    if (end > parts->host_end + 1 || end == parts->host_end) return end - parts->host;
    return parts->host_end - parts->host;
}

int nc_fields_make(nc_fields *fields, const nc_request *request, const nc_transfer *transfer) {
    const char *url = request->url, *host = NULL;
    size_t length = strlen(url), host_length = 0, count = 8;
    nc_url_parts parts;
    if (nc_url_split(url, length, &parts)) return -1;
    for (const nc_slist *node = request->headers; node; node = node->next) count++;
    // The path, and the digits of a length.
    *fields = (nc_fields){.list = malloc(count * sizeof *fields->list), .text = malloc(length + 64)};
    if (!fields->list || !fields->text) {
        nc_fields_free(fields);
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
    add(fields, ":scheme", 7, "https", 5);
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
    // What libcurl adds over HTTP/1.1.
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

void nc_fields_free(nc_fields *fields) {
    free(fields->list);
    free(fields->text);
}
#else
typedef int nc_unused_http2_request;
#endif
