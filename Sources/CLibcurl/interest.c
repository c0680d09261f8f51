#if defined(__linux__)
#include "nc_interest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

// A descriptor stays registered with epoll after libcurl has lost interest, since the next request on the same connection
// will want it again: that saves two system calls for each request. It needs to be known when such a descriptor is closed,
// for its number may come back; so it is done only for sockets that were opened through us (`OURS`).
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
    memset(larger + loop->interest_count, 0, (size_t)(count - loop->interest_count) * sizeof *larger);
    loop->interest = larger;
    loop->interest_count = count;
    return true;
}

static void forget(nc_loop *loop, int fd) {
    if (loop->interest[fd] & REGISTERED) epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
    loop->interest[fd] &= OURS | DIRECT;
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
    // Closing takes it out of epoll by itself.
    if (fd >= 0 && fd < loop->interest_count) loop->interest[fd] = 0;
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
