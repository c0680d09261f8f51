// The event loop: one multi handle on epoll.
#ifndef NC_LOOP_H
#define NC_LOOP_H

#include "nc_abi.h"
#include "nc_transfer.h"

/// Calls into Swift, on the loop's thread.
typedef struct nc_handlers {
    /// Fills the buffer with the next bytes of a streamed body: their number, 0 at its end, or `NC_READFUNC_…`.
    size_t (*_Nonnull read)(void *_Nonnull owner, char *_Nonnull buffer, size_t capacity);
    /// Whether the stream can start again from the beginning, which it can only if nothing was read.
    int (*_Nonnull rewind)(void *_Nonnull owner);
    /// Whether the server is to be trusted, with the descriptor of the new connection or -1 for one used again.
    int (*_Nonnull trust)(void *_Nonnull owner, nc_transfer *_Nonnull transfer, const char *_Nonnull connection, int fd);
    void (*_Nonnull closed)(void *_Nonnull context, int fd);
    /// A descriptor of `nc_loop_watch` is ready.
    void (*_Nonnull ready)(void *_Nonnull context, int fd);
    /// A session is about to be freed.
    void (*_Nonnull ended)(void *_Nonnull context, struct nc_session *_Nonnull session);
    /// Whether there may be a connection to the address, of 4 or 16 bytes.
    int (*_Nonnull allows)(void *_Nonnull context, const uint8_t *_Nonnull address, size_t length);
} nc_handlers;

typedef struct nc_loop {
    nc_multi *_Nonnull multi;
    nc_handlers handlers;
    void *_Nullable context;
    nc_transfer *_Nullable first_event, *_Nullable last_event;
    /// Streams that ended.
    nc_transfer *_Nullable first_done, *_Nullable last_done;
    struct nc_session *_Nullable sessions, *_Nullable first_dirty;
    int64_t now, curl_due, session_due;
    int epoll, mailbox;
    uint32_t *_Nullable interest;
    /// For each descriptor of `interest`, the transfer that waits for it.
    nc_transfer *_Nullable *_Nullable watchers;
    int interest_count;
    int tells_closed, checks_addresses;
    /// Of HTTP/2: bytes of a response that may wait for their reader, of a head, and connections that may wait for a request.
    int32_t stream_window, head_limit;
    int idle_sessions;
    /// Where a session reads to.
    uint8_t *_Nullable scratch;
    /// See `nc_loop_limit`.
    long cached_connections, host_connections;
    int added_count, choosing_count, session_count;
    int has_other_limits;
    int failure;
} nc_loop;

nc_loop *_Nullable nc_loop_make(int mailbox_descriptor, nc_handlers handlers, void *_Nonnull context);
/// Closes all connections. All transfers have to be freed before.
void nc_loop_free(nc_loop *_Nonnull loop);
/// libcurl's result: 0, or why the option did not take.
int nc_loop_set(nc_loop *_Nonnull loop, nc_multi_option option, long value);

/// The connections that libcurl may keep, and those to one host. Those that were taken over come on top of them: libcurl counts them, and
/// would close the one that was just made to keep its limit, or have a request wait for one of them.
void nc_loop_limit(nc_loop *_Nonnull loop, long cached_connections, long host_connections);

int nc_loop_add(nc_loop *_Nonnull loop, nc_transfer *_Nonnull transfer);
void nc_loop_remove(nc_loop *_Nonnull loop, nc_transfer *_Nonnull transfer);
/// Runs what is due.
void nc_loop_kick(nc_loop *_Nonnull loop);
/// Serves the sockets that are ready. If `sleeps`, waits until there is one, the mailbox is posted to, or it is `due` (of the
/// loop's clock; 0 for no limit).
void nc_loop_wait(nc_loop *_Nonnull loop, int64_t due, int sleeps);
/// Watches a connection that was only opened, in libcurl's place: `NC_POLL_IN` and `NC_POLL_OUT`, or 0 for neither. -1 if it
/// cannot be watched.
int nc_loop_watch(nc_loop *_Nonnull loop, int fd, int what);
/// The next transfer that ended, with libcurl's result.
nc_transfer *_Nullable nc_loop_next_done(nc_loop *_Nonnull loop, int *_Nonnull result);
/// The next transfer that has something to be noticed.
nc_transfer *_Nullable nc_loop_next_event(nc_loop *_Nonnull loop);

/// Nanoseconds of the monotonic clock.
int64_t nc_clock(void);

#endif
