#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_threads.h"

#include "nc_private.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int64_t nc_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The milliseconds until a time of the monotonic clock, as `epoll_wait` takes them.
static int milliseconds_until(int64_t time) {
    if (time == NC_AT_ONCE) return 0;
    if (time == NC_NEVER) return -1;
    int64_t rest = time - nc_clock();
    if (rest <= 0) return 0;
    // Rounded up, so that the timer is due when the sleep ends.
    return rest > 3600000000000 ? 3600000 : (int)((rest + 999999) / 1000000);
}

// MARK: Threads

/// Held by each loop's thread, except while it waits.
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t at_work = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t at_work = PTHREAD_RWLOCK_INITIALIZER;
#endif
static _Thread_local bool is_at_work;

void nc_thread_works(bool works) {
    if (works == is_at_work) return;
    is_at_work = works;
    if (works) pthread_rwlock_rdlock(&at_work);
    else pthread_rwlock_unlock(&at_work);
}

void nc_threads_park(void) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    // A loop that calls the app's code may wait for the thread that exits, or be that thread.
    limit.tv_sec += 1;
    pthread_rwlock_timedwrlock(&at_work, &limit);
}

int nc_wait(int epoll, struct epoll_event *events, int capacity, int64_t until) {
    bool works = is_at_work;
    nc_thread_works(false);
    int count = epoll_wait(epoll, events, capacity, milliseconds_until(until));
    nc_thread_works(works);
    return count;
}

struct start {
    // A copy: the caller's text may end before the thread begins.
    char name[16];
    void (*run)(void *);
    void *argument;
};

static void *run(void *raw) {
    struct start start = *(struct start *)raw;
    free(raw);
    pthread_setname_np(pthread_self(), start.name);
    nc_thread_works(true);
    start.run(start.argument);
    nc_thread_works(false);
    return NULL;
}

int nc_thread_start(const char *name, void (*function)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    *start = (struct start){.run = function, .argument = argument};
    strncpy(start->name, name, sizeof start->name - 1);
    // The application's threads handle signals. A closed socket must not raise SIGPIPE either.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t thread;
    int result = pthread_create(&thread, NULL, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result) free(start);
    else pthread_detach(thread);
    return result;
}

// MARK: Descriptors

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
#endif
