// The threads of loops, and their clock.
#ifndef NC_THREADS_H
#define NC_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/// Times that are not of `nc_clock`: at once, and never.
static const int64_t NC_AT_ONCE = 0, NC_NEVER = INT64_MAX;

/// The monotonic clock, in nanoseconds.
int64_t nc_clock(void);

/// Runs a function on a new thread, which receives no signals. Returns 0, or an errno.
int nc_thread_start(const char *_Nonnull name, void (*_Nonnull function)(void *_Nonnull), void *_Nonnull argument);

/// Whether this thread works, and does not wait. OpenSSL is not shut down at exit while a thread works: see `nc_threads_park`.
void nc_thread_works(bool works);
/// Waits until all threads wait, for at most a second, and keeps them from going on.
void nc_threads_park(void);

struct epoll_event;
/// Calls `epoll_wait`, at most until a time of `nc_clock`.
int nc_wait(int epoll, struct epoll_event *_Nonnull events, int capacity, int64_t until);

#endif
