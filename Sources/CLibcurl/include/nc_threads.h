// The threads of loops, their clock, and their descriptors, by epoll, which Swift does not import.
#ifndef NC_THREADS_H
#define NC_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Times that are not of `nc_clock`: at once, and never.
static const int64_t NC_AT_ONCE = 0, NC_NEVER = INT64_MAX;

/// The monotonic clock, in nanoseconds.
int64_t nc_clock(void);

/// Runs a function on a new thread, which receives no signals. Returns 0, or an errno.
int nc_thread_start(const char *name, void (*function)(void *), void *argument);

/// Whether this thread works, and does not wait. OpenSSL is not shut down at exit while a thread works: see `nc_threads_park`.
void nc_thread_works(bool works);
/// Waits until all threads wait, for at most a second, and keeps them from going on.
void nc_threads_park(void);

/// `NC_POLL_ENDED`: the peer has ended its side, or there is an error.
enum { NC_POLL_READABLE = 1, NC_POLL_WRITABLE = 2, NC_POLL_ENDED = 4 };

/// A descriptor that has become ready, by the object that it was added with; NULL for one of `nc_wake_make`.
typedef struct nc_ready {
    void *_Nullable owner;
    int events;
} nc_ready;

/// Returns a descriptor, or -1 with `errno`.
int nc_poll_make(void);
/// Returns a descriptor that becomes readable when another thread writes to it, or -1 with `errno`.
int nc_wake_make(void);
void nc_wake(int descriptor);
/// Adds a descriptor of `nc_wake_make`. Each `nc_wake` ends a wait, so that the descriptor need not be read.
int nc_poll_add_wake(int poll, int descriptor);
/// Adds a descriptor, whose readiness in either direction is reported once each time it begins. Returns 0, or -1 with `errno`.
int nc_poll_add(int poll, int descriptor, void *owner);
/// Removes a descriptor that is about to be closed. Closing alone does not, as long as a child process that was just forked has a copy.
void nc_poll_remove(int poll, int descriptor);
/// Waits at most until a time of `nc_clock`. Returns the number of descriptors that became ready.
int nc_poll_wait(int poll, int64_t until, nc_ready *ready, int capacity);

#pragma clang assume_nonnull end

#endif
