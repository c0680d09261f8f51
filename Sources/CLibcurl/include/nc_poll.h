// The descriptors of a loop, by epoll, which Swift does not import.
#ifndef NC_POLL_H
#define NC_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
int nc_poll_add(int poll, int descriptor, void *_Nonnull owner);
/// Removes a descriptor that is about to be closed. Closing alone does not, as long as a child process that was just forked has a copy.
void nc_poll_remove(int poll, int descriptor);
/// Waits at most until a time of `nc_clock`. Returns the number of descriptors that became ready.
int nc_poll_wait(int poll, int64_t until, nc_ready *_Nonnull ready, int capacity);

#endif
