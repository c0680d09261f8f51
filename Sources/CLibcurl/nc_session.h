// Between the parts of HTTP/2. Private to this module.
#ifndef NC_SESSION_H
#define NC_SESSION_H

#include "include/nc_http2.h"
#include "nc_nghttp2.h"

#include <stdbool.h>

/// What libnghttp2 calls. NULL if there is no memory.
nc_h2_callbacks *nc_session_callbacks(void);

/// The fields of a request as HTTP/2 writes them (RFC 9113, section 8.3). Freed by the caller; NULL if there is no memory.
typedef struct nc_fields {
    nc_h2_nv *list;
    size_t count;
    char *text;
} nc_fields;
int nc_fields_make(nc_fields *fields, const nc_request *request, const nc_transfer *transfer);
void nc_fields_free(nc_fields *fields);

/// Takes a stream off its session, and hands it to the loop as one that ended.
void nc_stream_finish(nc_transfer *transfer, nc_http2_end end, uint32_t code);
/// The same, telling the peer that no more of it is wanted.
void nc_stream_abort(nc_transfer *transfer, nc_http2_end end, uint32_t code);
/// Whether all of a body that says its length has come.
bool nc_stream_is_whole(const nc_transfer *transfer);

/// There is something to send, or to read, at the end of the turn.
void nc_session_note(nc_session *session);
/// The socket is ready.
void nc_session_ready(nc_session *session);
/// Serves the sessions that were noted. True if some have more to read, have ended, or have heard what their server takes.
bool nc_sessions_serve(nc_loop *loop);
/// Ends what has waited for too long.
void nc_sessions_tick(nc_loop *loop);

/// It is known which version of HTTP the connection of a transfer speaks.
void nc_loop_has_chosen(nc_loop *loop, nc_transfer *transfer);

/// The next stream that ended.
nc_transfer *nc_session_next_done(nc_loop *loop);
/// Takes a transfer out of the loop's list of those that ended.
void nc_session_forget_done(nc_loop *loop, nc_transfer *transfer);

#endif
