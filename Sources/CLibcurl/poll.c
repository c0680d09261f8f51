#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_poll.h"

#include "include/nc_threads.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS = 128 };

int nc_poll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

int nc_wake_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void nc_wake(int descriptor) {
    uint64_t one = 1;
    while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

int nc_poll_add(int poll, int descriptor, void *owner) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = owner};
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

int nc_poll_add_wake(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

void nc_poll_remove(int poll, int descriptor) { epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, NULL); }

int nc_poll_wait(int poll, int64_t until, nc_ready *ready, int capacity) {
    struct epoll_event events[EVENTS];
    int count = nc_wait(poll, events, capacity < EVENTS ? capacity : EVENTS, until);
    for (int index = 0; index < count; index++) {
        uint32_t found = events[index].events;
        ready[index].owner = events[index].data.ptr;
        ready[index].events = (found & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? NC_POLL_READABLE : 0)
            | (found & (EPOLLOUT | EPOLLHUP | EPOLLERR) ? NC_POLL_WRITABLE : 0)
            | (found & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? NC_POLL_ENDED : 0);
    }
    return count;
}
#else
typedef int nc_unused_poll;
#endif
