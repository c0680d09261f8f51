#if defined(__linux__)
#include "nc_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

// Which descriptors epoll watches.
//
// A descriptor stays registered after libcurl has lost interest, since the next request on the same connection will need it again: that saves
// two system calls for each request. Its number may be used again after it is closed, so this is done only for sockets that `nc_on_open` has
// opened (`OURS`) and `nc_on_close` will close.
#define EVENT_BITS 0xffffu
#define REGISTERED 0x80000000u
#define WANTED 0x40000000u
#define OURS 0x20000000u
// Watched in libcurl's place.
#define DIRECT 0x10000000u

static bool has_room(nc_loop *loop, int fd) {
    if (fd < 0) return false;
    if (fd < loop->interest_count) return true;
    int count = loop->interest_count ? loop->interest_count : 64;
    while (count <= fd) count *= 2;
    uint32_t *larger = realloc(loop->interest, (size_t)count * sizeof *larger);
    if (!larger) return false;
    loop->interest = larger;
    nc_transfer **watchers = realloc(loop->watchers, (size_t)count * sizeof *watchers);
    if (!watchers) return false;
    loop->watchers = watchers;
    memset(larger + loop->interest_count, 0, (size_t)(count - loop->interest_count) * sizeof *larger);
    memset(watchers + loop->interest_count, 0, (size_t)(count - loop->interest_count) * sizeof *watchers);
    loop->interest_count = count;
    return true;
}

static void forget(nc_loop *loop, int fd) {
    if (loop->interest[fd] & REGISTERED) epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
    loop->interest[fd] &= OURS | DIRECT;
}

void nc_interest_unlink(nc_loop *loop, nc_transfer *transfer) {
    if (transfer->watched_fd >= 0) loop->watchers[transfer->watched_fd] = NULL;
    transfer->watched_fd = -1;
}

void nc_interest_link(nc_loop *loop, int fd, nc_transfer *transfer) {
    if (!has_room(loop, fd)) return;
    // One transfer for a descriptor, and one descriptor for a transfer.
    if (loop->watchers[fd]) loop->watchers[fd]->watched_fd = -1;
    loop->watchers[fd] = NULL;
    if (!transfer) return;
    nc_interest_unlink(loop, transfer);
    loop->watchers[fd] = transfer;
    transfer->watched_fd = fd;
}

void nc_interest_arrived(nc_loop *loop, int fd) {
    nc_transfer *transfer = loop->watchers[fd];
    if (transfer && !transfer->head_done) transfer->last_activity = loop->now;
}

bool nc_interest_is_foreign(const nc_loop *loop, int fd) {
    return fd >= 0 && (fd >= loop->interest_count || !(loop->interest[fd] & (OURS | DIRECT | REGISTERED)));
}

int nc_interest_set(nc_loop *loop, int fd, int what) {
    if (!has_room(loop, fd)) return -1;
    uint32_t current = loop->interest[fd];
    if (what == NC_POLL_REMOVE) {
        if (current & OURS) loop->interest[fd] = current & ~WANTED;
        else forget(loop, fd);
        return 0;
    }
    uint32_t events = (what & NC_POLL_IN ? EPOLLIN : 0) | (what & NC_POLL_OUT ? EPOLLOUT : 0);
    if ((current & REGISTERED) && (current & EVENT_BITS) == events) {
        loop->interest[fd] = current | WANTED;
        return 0;
    }
    struct epoll_event event = {.events = events, .data.fd = fd};
    int result = epoll_ctl(loop->epoll, current & REGISTERED ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    if (result < 0 && errno == ENOENT) result = epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event);
    else if (result < 0 && errno == EEXIST) result = epoll_ctl(loop->epoll, EPOLL_CTL_MOD, fd, &event);
    loop->interest[fd] = (current & (OURS | DIRECT)) | (result < 0 ? 0 : REGISTERED | WANTED | events);
    return result;
}

int nc_interest_watch(nc_loop *loop, int fd, int what) {
    if (!has_room(loop, fd)) return -1;
    loop->interest[fd] |= DIRECT;
    return nc_interest_set(loop, fd, what ? what : NC_POLL_REMOVE);
}

bool nc_interest_is_direct(const nc_loop *loop, int fd) {
    return fd >= 0 && fd < loop->interest_count && loop->interest[fd] & DIRECT;
}

void nc_interest_opened(nc_loop *loop, int fd) {
    if (has_room(loop, fd)) loop->interest[fd] = OURS;
}

void nc_interest_closed(nc_loop *loop, int fd) {
    if (fd < 0 || fd >= loop->interest_count) return;
    // Closing also removes the descriptor from epoll.
    loop->interest[fd] = 0;
    nc_interest_link(loop, fd, NULL);
}

bool nc_interest_is_wanted(nc_loop *loop, int fd) {
    if (fd < 0 || fd >= loop->interest_count) return false;
    if (loop->interest[fd] & WANTED) return true;
    forget(loop, fd);
    return false;
}
#else
typedef int nc_unused_interest;
#endif
