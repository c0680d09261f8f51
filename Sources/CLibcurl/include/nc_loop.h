// The event loop: one multi handle on epoll.
#ifndef NC_LOOP_H
#define NC_LOOP_H

#include "nc_abi.h"
#include "nc_transfer.h"

/// The functions of Swift that the loop calls, on its thread.
typedef struct nc_handlers {
    /// Fills the buffer with the next bytes of a streamed body. Returns their number, 0 at its end, or `NC_READFUNC_…`.
    size_t (*_Nonnull read)(void *_Nonnull owner, char *_Nonnull buffer, size_t capacity);
    /// Starts the streamed body again from the beginning. Returns 0 if it cannot, because some of it was read.
    int (*_Nonnull rewind)(void *_Nonnull owner);
    /// Whether the server is trusted. `fd` is the descriptor of a new connection, or -1 for one that is used again.
    int (*_Nonnull trust)(void *_Nonnull owner, nc_transfer *_Nonnull transfer, const char *_Nonnull connection, int fd);
    /// A socket was closed. Called only with `tells_closed`.
    void (*_Nonnull closed)(void *_Nonnull context, int fd);
    /// A descriptor of `nc_loop_watch` is ready.
    void (*_Nonnull ready)(void *_Nonnull context, int fd);
    /// A session is about to be freed.
    void (*_Nonnull ended)(void *_Nonnull context, struct nc_session *_Nonnull session);
    /// Whether a connection to the address, of 4 or 16 bytes, is allowed.
    int (*_Nonnull allows)(void *_Nonnull context, const uint8_t *_Nonnull address, size_t length);
    /// A connection is open and about to be used. Returns a retained object with what is known of it.
    void *_Nonnull (*_Nonnull opened)(
        nc_transfer *_Nonnull transfer, const char *_Nonnull local, int local_port, const char *_Nonnull remote,
        int remote_port);
    /// Releases the object of `opened`.
    void (*_Nonnull forget)(void *_Nonnull object);
    /// A step of a transfer with `tells_steps`. The address is that of `NC_STEP_CONNECTING`.
    void (*_Nonnull step)(
        void *_Nonnull owner, nc_transfer *_Nonnull transfer, nc_step step, const char *_Nullable address, int port);
} nc_handlers;

enum { NC_CONNECTION_BUCKETS = 64 };

/// Times that are not of `nc_clock`: there is more to do at once, or nothing without a socket or a command.
static const int64_t NC_AT_ONCE = 0, NC_NEVER = INT64_MAX;

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
    /// The open connections, by local port.
    nc_connection *_Nullable connections[NC_CONNECTION_BUCKETS];
    int tells_closed, checks_addresses;
    /// A connection became ready for a request whose steps are told.
    int has_ready_steps;
    /// `AF_INET` or `AF_INET6` if connections may use only that; otherwise 0.
    int family;
    /// Of HTTP/2: the bytes of a response that may wait for their reader (0 without HTTP/2), the bytes of a head, and the connections that
    /// may be idle.
    int32_t stream_window, head_limit;
    int idle_sessions;
    /// The buffer that sessions read into.
    uint8_t *_Nullable scratch;
    /// See `nc_loop_limit`.
    long cached_connections, host_connections;
    int added_count, choosing_count, session_count;
    int has_other_limits;
    int failure;
} nc_loop;

nc_loop *_Nullable nc_loop_make(int mailbox_descriptor, nc_handlers handlers, void *_Nonnull context);
/// Closes all connections. Free all transfers before.
void nc_loop_free(nc_loop *_Nonnull loop);

/// Sets how many connections libcurl may keep, and open to one host. Returns libcurl's result.
///
/// Connections that were taken over are added to the limits. libcurl counts them: it would close the one that was just opened, or have a
/// request wait for one of them.
int nc_loop_limit(nc_loop *_Nonnull loop, long cached_connections, long host_connections);

int nc_loop_add(nc_loop *_Nonnull loop, nc_transfer *_Nonnull transfer);
void nc_loop_remove(nc_loop *_Nonnull loop, nc_transfer *_Nonnull transfer);
/// Runs what is due.
void nc_loop_kick(nc_loop *_Nonnull loop);
/// Ends a turn: sends the frames that it has collected. Returns the time at which the loop has more to do without a socket or a command:
/// a time of `nc_clock`, `NC_AT_ONCE` or `NC_NEVER`.
///
/// - `due`: the time of `nc_clock` at which the caller has more to do; 0 for never.
int64_t nc_loop_rest(nc_loop *_Nonnull loop, int64_t due);
/// Waits until a socket is ready, the mailbox is posted to, or the time of `nc_loop_rest` has come. Serves the sockets that are ready.
void nc_loop_wait(nc_loop *_Nonnull loop, int64_t until);
/// Watches a connection that was only opened, in libcurl's place: `NC_POLL_IN` and `NC_POLL_OUT`, or 0 for neither. Returns -1 if it cannot be
/// watched.
int nc_loop_watch(nc_loop *_Nonnull loop, int fd, int what);
/// Returns the next transfer that ended, with libcurl's result.
nc_transfer *_Nullable nc_loop_next_done(nc_loop *_Nonnull loop, int *_Nonnull result);
/// Returns the next transfer for which `nc_transfer_signal` was called.
nc_transfer *_Nullable nc_loop_next_event(nc_loop *_Nonnull loop);

/// Nanoseconds of the monotonic clock.
int64_t nc_clock(void);

// MARK: Several loops on one thread

/// Returns a descriptor that watches loops, or -1.
int nc_group_make(void);
/// Watches the `epoll` of a loop, or its mailbox, for which `nc_group_wait` then returns `member`. Returns -1 if it cannot be watched.
int nc_group_watch(int group, int descriptor, void *_Nonnull member);
/// Stops watching a descriptor. Closing it is not enough: a child process that is being started may hold it, too.
void nc_group_forget(int group, int descriptor);
/// Waits until loops have something to do or the time has come (see `nc_loop_rest`). Returns the number of members in `ready`, each once, or
/// -1 if a signal has ended the wait.
int nc_group_wait(int group, int64_t until, void *_Nullable *_Nonnull ready, int capacity);

// MARK: Descriptors and child processes

/// Sets `FD_CLOEXEC` on both ends of a pair of connected Unix sockets that libcurl made, given one of them. Does nothing to another
/// descriptor, or to one that has the flag.
void nc_seal_pair(int fd);
/// Sets `FD_CLOEXEC` on a descriptor.
void nc_seal(int fd);
/// The same for the pair that wakes a multi handle, which libcurl does not expose.
void nc_seal_wakeup(nc_multi *_Nonnull multi);

#endif
