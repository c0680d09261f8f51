// A request as libcurl wants it, in one block of memory, made on the caller's thread.
#ifndef NC_REQUEST_H
#define NC_REQUEST_H

#include "nc_abi.h"

/// Where the parts of an `http` or `https` URL lie, as offsets into its text.
typedef struct nc_url_parts {
    int is_https;
    size_t authority, user_end, host, host_end, authority_end;
    int has_user;
    int port;
    /// Of scheme, host and port: names the origin. Two origins with the same hash share a queue, nothing else.
    uint64_t origin;
} nc_url_parts;

/// 0 if the text is a URL of the scheme `http` or `https` with a host.
int nc_url_split(const char *_Nonnull text, size_t length, nc_url_parts *_Nonnull parts);

typedef struct nc_request {
    nc_slist *_Nullable headers;
    const char *_Nonnull url;
    const char *_Nonnull method;
    /// Private: the rest of the block.
    nc_slist *_Nullable last;
    char *_Nonnull next;
    char *_Nonnull end;
    int is_answered;
} nc_request;

/// Bytes that a header takes in the block, beside its name and value.
enum { NC_HEADER_OVERHEAD = sizeof(nc_slist) + 16 };

/// A block with room for `capacity` bytes of text and headers (with their overhead).
nc_request *_Nullable nc_request_make(size_t capacity);
void nc_request_free(nc_request *_Nonnull request);
/// Copies a text to the block, terminated. NULL if there is no room, or a NUL in it.
const char *_Nullable nc_request_text(nc_request *_Nonnull request, const char *_Nonnull text, size_t length);
/// Adds a field. -1 if the value has a CR, LF or NUL or the name is no token (RFC 9110), or there is no room.
int nc_request_header(
    nc_request *_Nonnull request, const char *_Nonnull name, size_t name_length, const char *_Nonnull value,
    size_t value_length);
/// Orders what was done before `nc_request_answered` on one thread before what comes after `nc_request_took_answer` on another. A
/// continuation does that too, but Swift's runtime on Linux does not tell Thread Sanitizer, which then takes every answer for a race.
void nc_request_answered(nc_request *_Nonnull request);
void nc_request_took_answer(nc_request *_Nonnull request);
/// Keeps libcurl from adding a field of its own.
int nc_request_suppress(nc_request *_Nonnull request, const char *_Nonnull name);

#endif
