#if defined(__linux__)
#include "include/nc_request.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void nc_request_answered(nc_request *request) { __atomic_store_n(&request->is_answered, 1, __ATOMIC_RELEASE); }

void nc_request_took_answer(nc_request *request) { (void)__atomic_load_n(&request->is_answered, __ATOMIC_ACQUIRE); }

int nc_url_split(const char *text, size_t length, nc_url_parts *parts) {
    memset(parts, 0, sizeof *parts);
    if (length > 8 && !strncasecmp(text, "https://", 8)) {
        parts->is_https = 1;
        parts->authority = 8;
    } else if (length > 7 && !strncasecmp(text, "http://", 7)) {
        parts->authority = 7;
    } else {
        return -1;
    }
    size_t end = parts->authority;
    while (end < length && text[end] != '/' && text[end] != '?' && text[end] != '#') {
        // Parsers of URLs disagree about the host if there is a backslash.
        if (text[end] == '\\' || (unsigned char)text[end] <= ' ') return -1;
        end++;
    }
    parts->authority_end = end;
    parts->host = parts->authority;
    for (size_t index = parts->authority; index < end; index++) {
        if (text[index] == '@') {
            parts->has_user = 1;
            parts->user_end = index;
            parts->host = index + 1;
        }
    }
    size_t host_end = parts->host;
    if (host_end < end && text[host_end] == '[') {
        while (host_end < end && text[host_end] != ']') host_end++;
        if (host_end == end) return -1;
        host_end++;
    } else {
        while (host_end < end && text[host_end] != ':') host_end++;
    }
    parts->host_end = host_end;
    if (host_end == parts->host) return -1;
    parts->port = parts->is_https ? 443 : 80;
    if (host_end < end) {
        if (text[host_end] != ':') return -1;
        if (host_end + 1 < end) {
            int port = 0;
            for (size_t index = host_end + 1; index < end; index++) {
                if (text[index] < '0' || text[index] > '9') return -1;
                port = port * 10 + (text[index] - '0');
                if (port > 65535) return -1;
            }
            parts->port = port;
        }
    }
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (size_t index = parts->host; index < host_end; index++) {
        unsigned char byte = (unsigned char)text[index];
        if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
        hash = (hash ^ byte) * 1099511628211u;
    }
    hash = (hash ^ (uint64_t)parts->port) * 1099511628211u;
    parts->origin = (hash ^ (uint64_t)parts->is_https) * 1099511628211u;
    return 0;
}

nc_request *nc_request_make(size_t capacity) {
    nc_request *request = malloc(sizeof *request + capacity);
    if (!request) return NULL;
    request->headers = request->last = NULL;
    request->url = request->method = "";
    request->next = (char *)(request + 1);
    request->end = request->next + capacity;
    return request;
}

void nc_request_free(nc_request *request) { free(request); }

static char *reserve(nc_request *request, size_t count) {
    // Whole words, so that a list node may follow.
    count = (count + 7) & ~(size_t)7;
    if (count > (size_t)(request->end - request->next)) return NULL;
    char *start = request->next;
    request->next += count;
    return start;
}

const char *nc_request_text(nc_request *request, const char *text, size_t length) {
    if (memchr(text, 0, length)) return NULL;
    char *copy = reserve(request, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static const bool is_token[256] = {
    ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1, ['\''] = 1, ['*'] = 1, ['+'] = 1, ['-'] = 1, ['.'] = 1,
    ['^'] = 1, ['_'] = 1, ['`'] = 1, ['|'] = 1, ['~'] = 1, ['0' ... '9'] = 1, ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1,
};

static char *append(nc_request *request, size_t length) {
    char *memory = reserve(request, sizeof(nc_slist) + length + 1);
    if (!memory) return NULL;
    nc_slist *node = (nc_slist *)memory;
    node->data = memory + sizeof *node;
    node->next = NULL;
    if (request->last) request->last->next = node;
    else request->headers = node;
    request->last = node;
    return node->data;
}

int nc_request_header(nc_request *request, const char *name, size_t name_length, const char *value, size_t value_length) {
    if (name_length == 0) return -1;
    for (size_t index = 0; index < name_length; index++)
        if (!is_token[(unsigned char)name[index]]) return -1;
    while (value_length && (value[0] == ' ' || value[0] == '\t')) value++, value_length--;
    while (value_length && (value[value_length - 1] == ' ' || value[value_length - 1] == '\t')) value_length--;
    // Control characters but tab (RFC 9110, section 5.5).
    for (size_t index = 0; index < value_length; index++) {
        unsigned char byte = (unsigned char)value[index];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return -1;
    }
    char *line = append(request, name_length + value_length + 2);
    if (!line) return -1;
    memcpy(line, name, name_length);
    if (value_length == 0) {
        // libcurl's way of writing a field with an empty value: a bare "Name:" would remove it.
        memcpy(line + name_length, ";", 2);
    } else {
        memcpy(line + name_length, ": ", 2);
        memcpy(line + name_length + 2, value, value_length);
        line[name_length + 2 + value_length] = 0;
    }
    return 0;
}

int nc_request_suppress(nc_request *request, const char *name) {
    size_t length = strlen(name);
    char *line = append(request, length + 1);
    if (!line) return -1;
    memcpy(line, name, length);
    memcpy(line + length, ":", 2);
    return 0;
}
#else
typedef int nc_unused_request;
#endif
