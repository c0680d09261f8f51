// A request in libcurl's form, in one block of memory, made on the caller's thread.
#ifndef NC_REQUEST_H
#define NC_REQUEST_H

#include "nc_abi.h"

/// The parts of an `http` or `https` URL, as offsets into its text.
typedef struct nc_url_parts {
    int is_https;
    size_t authority, user_end, host, host_end, authority_end;
    int has_user;
    int port;
    /// The hash of scheme, host and port. Two origins with the same hash share a queue, and nothing else.
    uint64_t origin;
} nc_url_parts;

/// Returns 0 if the text is a URL of the scheme `http` or `https` with a host.
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
/// Copies a text to the block, with a NUL at its end. Returns NULL if there is no room, or a NUL in the text.
const char *_Nullable nc_request_text(nc_request *_Nonnull request, const char *_Nonnull text, size_t length);
/// Adds a field. Returns -1 if the value has a CR, LF or NUL, if the name is not a token (RFC 9110), or if there is no room.
int nc_request_header(
    nc_request *_Nonnull request, const char *_Nonnull name, size_t name_length, const char *_Nonnull value,
    size_t value_length);
/// A release and an acquire: they order the writes before the first, on one thread, before the reads after the second, on another. A
/// continuation does that too, but Swift's runtime on Linux does not tell Thread Sanitizer, which then reports every answer as a race.
void nc_request_answered(nc_request *_Nonnull request);
void nc_request_took_answer(nc_request *_Nonnull request);
/// Keeps libcurl from adding a field of its own.
int nc_request_suppress(nc_request *_Nonnull request, const char *_Nonnull name);

#endif
