// Shared by the files of HTTP/2 and the loop. Private to this module.
#ifndef NC_SESSION_H
#define NC_SESSION_H

#include "include/nc_http2.h"
#include "nc_nghttp2.h"

#include <stdbool.h>

/// Returns the callbacks for libnghttp2, or NULL if there is no memory.
nc_h2_callbacks *nc_session_callbacks(void);

/// Removes a stream from its session, and adds it to the loop's list of streams that ended.
void nc_stream_finish(nc_transfer *transfer, nc_http2_end end, uint32_t code);
/// The same, and resets the stream.
void nc_stream_abort(nc_transfer *transfer, nc_http2_end end, uint32_t code);
/// Whether the response is complete by its declared length, or has no body.
bool nc_stream_is_whole(const nc_transfer *transfer);

/// Has the session served at the end of the turn.
void nc_session_note(nc_session *session);
/// Notes that the session's socket is ready.
void nc_session_ready(nc_session *session);
/// Serves the sessions that were noted. Returns true if a session has more to read, has ended, or has received its server's settings.
bool nc_sessions_serve(nc_loop *loop);
/// Closes sessions that were idle for too long, and ends waiting for `100 Continue`.
void nc_sessions_tick(nc_loop *loop);

/// Notes that the version of HTTP of a transfer's connection is known.
void nc_loop_has_chosen(nc_loop *loop, nc_transfer *transfer);

#endif
