// HTTP/2 over a connection that libcurl opened: libnghttp2 speaks it, so that the ends of streams, windows and errors are seen here.
#ifndef NC_HTTP2_H
#define NC_HTTP2_H

#include "nc_loop.h"
#include "nc_transfer.h"

/// Why HTTP/2 cannot be spoken, or NULL if it can. Only after a successful `nc_load`.
const char *_Nullable nc_http2_problem(void);

/// A connection that speaks HTTP/2. Of the loop's thread.
typedef struct nc_session {
    struct nc_loop *_Nonnull loop;
    /// The transfer by which libcurl opened the connection. It is kept as long as the session.
    nc_transfer *_Nonnull connection;
    void *_Nonnull http2;
    /// Of the loop's lists: all sessions, and those with something to send or to read.
    struct nc_session *_Nullable next, *_Nullable previous, *_Nullable next_dirty;
    /// Those that have not ended.
    nc_transfer *_Nullable streams;
    /// How the connection came about, for its first exchange.
    nc_metrics metrics;
    /// Bytes that the socket has not taken.
    uint8_t *_Nullable out;
    size_t out_length, out_offset, out_capacity;
    char *_Nullable line;
    size_t line_capacity;
    int64_t idle_since;
    /// What the windows of streams have grown by.
    int32_t grown;
    /// Frames since the last that brought something to somebody, and since when they are counted.
    int64_t idle_frames_since;
    int idle_frames;
    int fd, stream_count, exchange_count;
    /// Of the peer's GOAWAY, and of the one that we sent.
    int32_t last_stream;
    uint32_t peer_code, own_code;
    int lost_errno;
    /// The server has said what it takes.
    unsigned is_settled : 1;
    unsigned is_dirty : 1, is_draining : 1, is_lost : 1, waits_to_write : 1, reads_on : 1;
    char lost_reason[NC_ERROR_SIZE];
} nc_session;

/// Takes over the connection that a transfer has opened. NULL if it cannot be had; the transfer is then the caller's still.
nc_session *_Nullable nc_session_make(nc_transfer *_Nonnull connection);
/// Closes the connection, with what is in flight on it.
void nc_session_free(nc_session *_Nonnull session);

/// How many streams the server lets be open at the same time.
int nc_session_limit(const nc_session *_Nonnull session);
/// How many more streams can begin now; 0 also if the connection takes no more. Before the server has said how many it takes it is one.
int nc_session_room(const nc_session *_Nonnull session);

/// Sends a request. 0, or -1 if the connection takes no more.
int nc_session_submit(
    nc_session *_Nonnull session, nc_transfer *_Nonnull transfer, const nc_request *_Nonnull request, int64_t began);

/// After the reader has taken bytes, or more of the request's body is there.
void nc_session_go_on(nc_transfer *_Nonnull transfer);
/// Ends a stream that nobody wants any more, with all that it holds.
void nc_session_cancel(nc_transfer *_Nonnull transfer);

#endif
