// HTTP/2 by libnghttp2, over a connection that libcurl opened. libcurl's own HTTP/2 hides errors, windows and the ends of streams.
#ifndef NC_HTTP2_H
#define NC_HTTP2_H

#include "nc_loop.h"
#include "nc_transfer.h"

/// Why HTTP/2 is unavailable, or NULL if it is available. Only after a successful `nc_load`.
const char *_Nullable nc_http2_problem(void);

/// An HTTP/2 connection. Only for the loop's thread.
typedef struct nc_session {
    struct nc_loop *_Nonnull loop;
    /// The transfer by which libcurl opened the connection. It is kept as long as the session.
    nc_transfer *_Nonnull connection;
    void *_Nonnull http2;
    /// The loop's lists: all sessions, and those with something to send or to read.
    struct nc_session *_Nullable next, *_Nullable previous, *_Nullable next_dirty;
    /// The streams that have not ended.
    nc_transfer *_Nullable streams;
    /// The times of opening the connection, for its first exchange.
    nc_metrics metrics;
    /// The bytes that the socket has not taken.
    uint8_t *_Nullable out;
    size_t out_length, out_offset, out_capacity;
    char *_Nullable line;
    size_t line_capacity;
    int64_t idle_since;
    /// The growth of all streams' windows.
    int32_t grown;
    /// The frames since the last one with data or a head, and when counting them began.
    int64_t idle_frames_since;
    int idle_frames;
    int fd, stream_count, exchange_count;
    /// From the peer's GOAWAY, and from our own.
    int32_t last_stream;
    uint32_t peer_code, own_code;
    int lost_errno;
    /// The server's settings were received.
    unsigned is_settled : 1;
    unsigned is_dirty : 1, is_draining : 1, is_lost : 1, waits_to_write : 1, reads_on : 1;
    char lost_reason[NC_ERROR_SIZE];
} nc_session;

/// Takes over the connection that a transfer has opened. Returns NULL if that fails; the transfer then still belongs to the caller.
nc_session *_Nullable nc_session_make(nc_transfer *_Nonnull connection);
/// Closes the connection, and ends its streams.
void nc_session_free(nc_session *_Nonnull session);

/// Returns how many streams the server allows at the same time.
int nc_session_limit(const nc_session *_Nonnull session);
/// Returns how many more streams can begin now; 0 also if the connection accepts no more. Before the server's settings, one stream can begin.
int nc_session_room(const nc_session *_Nonnull session);

/// Sends a request. Returns 0, or -1 if the connection accepts no more.
int nc_session_submit(
    nc_session *_Nonnull session, nc_transfer *_Nonnull transfer, const nc_request *_Nonnull request, int64_t began);

/// Goes on with a stream after the reader took bytes, or after the request's body has new ones.
void nc_session_go_on(nc_transfer *_Nonnull transfer);
/// Cancels a stream.
void nc_session_cancel(nc_transfer *_Nonnull transfer);

#endif
