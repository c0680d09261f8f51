#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_loop.h"

#include "include/nc_mailbox.h"
#include "nc_private.h"
#include "nc_session.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256 };

int64_t nc_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int on_timer(nc_multi *multi, long milliseconds, void *raw) {
    (void)multi;
    nc_loop *loop = raw;
    // The time of the turn is exact enough. Reading the clock costs time, and libcurl sets its timer several times for each request.
    loop->curl_due = milliseconds < 0 ? 0 : loop->now + (int64_t)milliseconds * 1000000;
    return 0;
}

static int on_socket(nc_easy *easy, int fd, int what, void *raw, void *unused) {
    (void)unused;
    nc_loop *loop = raw;
    // The loop watches a connection that was taken over, until it is closed.
    if (nc_interest_is_direct(loop, fd)) return 0;
    // The socket pair by which the resolver's thread reports that it is done, or a connection for DNS over HTTPS.
    if (what != NC_POLL_REMOVE && nc_interest_is_foreign(loop, fd)) {
        nc_seal_pair(fd);
        nc_seal(fd);
    }
    nc_transfer *transfer = NULL;
    if (what != NC_POLL_REMOVE) nc_curl.easy_getinfo(easy, NC_INFO_PRIVATE, &transfer);
    nc_interest_link(loop, fd, transfer);
    if (what == NC_POLL_IN && transfer && transfer->tells_steps) nc_step_sent(transfer);
    if (nc_interest_set(loop, fd, what) < 0) loop->failure = errno ? errno : ENOMEM;
    return 0;
}

/// libcurl writes a request right after its connection is ready, and does not always change what it waits for then.
static void tell_sent(nc_loop *loop) {
    loop->has_ready_steps = 0;
    for (int fd = 0; fd < loop->interest_count; fd++) {
        nc_transfer *transfer = loop->watchers[fd];
        if (transfer && transfer->tells_steps) nc_step_sent(transfer);
    }
}

nc_loop *nc_loop_make(int mailbox, nc_handlers handlers, void *context) {
    nc_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->handlers = handlers;
    loop->context = context;
    loop->mailbox = mailbox;
    loop->now = nc_clock();
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    nc_multi *multi = nc_curl.multi_init();
    // Edge-triggered, so that the eventfd need not be read.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = mailbox};
    if (loop->epoll < 0 || !multi || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, mailbox, &event) < 0) {
        if (loop->epoll >= 0) close(loop->epoll);
        if (multi) nc_curl.multi_cleanup(multi);
        free(loop);
        return NULL;
    }
    loop->multi = multi;
    nc_seal_wakeup(multi);
    nc_curl.multi_setopt(multi, NC_MOPT_SOCKETFUNCTION, on_socket);
    nc_curl.multi_setopt(multi, NC_MOPT_SOCKETDATA, loop);
    nc_curl.multi_setopt(multi, NC_MOPT_TIMERFUNCTION, on_timer);
    nc_curl.multi_setopt(multi, NC_MOPT_TIMERDATA, loop);
    return loop;
}

void nc_loop_free(nc_loop *loop) {
    while (loop->sessions) nc_session_free(loop->sessions);
    nc_curl.multi_cleanup(loop->multi);
    close(loop->epoll);
    free(loop->scratch);
    free(loop->interest);
    free(loop->watchers);
    free(loop);
}

static int apply_limits(nc_loop *loop) {
    loop->has_other_limits = 0;
    // To keep its limit, libcurl closes the connection that was idle for longest. That must not be one that is about to be taken over, which
    // is idle for a moment. So connections in use do not count meanwhile.
    long cached = loop->cached_connections + (loop->choosing_count ? loop->added_count : loop->session_count);
    int result = nc_curl.multi_setopt(loop->multi, NC_MOPT_MAXCONNECTS, cached);
    if (result) return result;
    return nc_curl.multi_setopt(
        loop->multi, NC_MOPT_MAX_HOST_CONNECTIONS, loop->host_connections + loop->session_count);
}

int nc_loop_limit(nc_loop *loop, long cached_connections, long host_connections) {
    loop->cached_connections = cached_connections;
    loop->host_connections = host_connections;
    return apply_limits(loop);
}

void nc_loop_has_chosen(nc_loop *loop, nc_transfer *transfer) {
    if (!transfer->is_choosing) return;
    transfer->is_choosing = 0;
    loop->choosing_count--;
    // Applied later: this may be called by libcurl.
    loop->has_other_limits = 1;
}

static nc_transfer *next_done_stream(nc_loop *loop) {
    nc_transfer *transfer = loop->first_done;
    if (!transfer) return NULL;
    loop->first_done = transfer->next_done;
    if (!loop->first_done) loop->last_done = NULL;
    transfer->next_done = NULL;
    transfer->is_done = 0;
    return transfer;
}

static void forget_done(nc_loop *loop, nc_transfer *transfer) {
    if (!transfer->is_done) return;
    transfer->is_done = 0;
    nc_transfer **link = &loop->first_done, *previous = NULL;
    while (*link && *link != transfer) {
        previous = *link;
        link = &previous->next_done;
    }
    if (*link) *link = transfer->next_done;
    if (loop->last_done == transfer) loop->last_done = previous;
    transfer->next_done = NULL;
}

int nc_loop_add(nc_loop *loop, nc_transfer *transfer) {
    transfer->is_added = 1;
    loop->added_count++;
    if (transfer->is_choosing) loop->choosing_count++;
    if (loop->choosing_count || loop->has_other_limits) apply_limits(loop);
    return nc_curl.multi_add_handle(loop->multi, transfer->easy);
}

void nc_loop_remove(nc_loop *loop, nc_transfer *transfer) {
    if (transfer->is_stream) {
        if (transfer->session) nc_session_cancel(transfer);
        forget_done(loop, transfer);
    } else {
        nc_curl.multi_remove_handle(loop->multi, transfer->easy);
        nc_interest_unlink(loop, transfer);
        nc_loop_has_chosen(loop, transfer);
        if (transfer->is_added) loop->added_count--;
        transfer->is_added = 0;
        if (loop->choosing_count) loop->has_other_limits = 1;
    }
    if (!transfer->has_event) return;
    nc_transfer **link = &loop->first_event, *previous = NULL;
    while (*link && *link != transfer) {
        previous = *link;
        link = &previous->next_event;
    }
    if (*link) *link = transfer->next_event;
    if (loop->last_event == transfer) loop->last_event = previous;
    transfer->has_event = 0;
}

void nc_loop_kick(nc_loop *loop) {
    if (loop->has_other_limits) apply_limits(loop);
    nc_sessions_tick(loop);
    if (!loop->curl_due || loop->curl_due > loop->now) return;
    loop->curl_due = 0;
    int running;
    nc_curl.multi_socket_action(loop->multi, NC_SOCKET_TIMEOUT, 0, &running);
    if (loop->has_ready_steps) tell_sent(loop);
}

int64_t nc_loop_rest(nc_loop *loop, int64_t due) {
    // Sends all frames of this turn together.
    if (nc_sessions_serve(loop) || loop->first_done || loop->first_event) return NC_AT_ONCE;
    if (loop->session_due && (!due || loop->session_due < due)) due = loop->session_due;
    if (loop->curl_due && (!due || loop->curl_due < due)) due = loop->curl_due;
    return due ? due : NC_NEVER;
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

void nc_mailbox_wait(const nc_mailbox *box, int64_t until) {
    struct pollfd descriptor = {.fd = nc_mailbox_descriptor(box), .events = POLLIN};
    bool works = is_at_work;
    nc_thread_works(false);
    poll(&descriptor, 1, milliseconds_until(until));
    nc_thread_works(works);
    // Not edge-triggered, as it is for `epoll_wait`.
    uint64_t count;
    if (read(descriptor.fd, &count, sizeof count) < 0) return;
}

void nc_loop_wait(nc_loop *loop, int64_t until) {
    struct epoll_event events[EVENTS];
    int count = nc_wait(loop->epoll, events, EVENTS, until);
    loop->now = nc_clock();
    for (int index = 0; index < count; index++) {
        int fd = events[index].data.fd;
        if (fd == loop->mailbox || !nc_interest_is_wanted(loop, fd)) continue;
        if (nc_interest_is_direct(loop, fd)) {
            nc_transfer *watcher = loop->watchers[fd];
            if (watcher && watcher->carries) nc_session_ready(watcher->carries);
            else loop->handlers.ready(loop->context, fd);
            continue;
        }
        uint32_t ready = events[index].events;
        int action = (ready & EPOLLIN ? NC_CSELECT_IN : 0) | (ready & EPOLLOUT ? NC_CSELECT_OUT : 0);
        // Bytes that were received before the end must be read.
        if (ready & (EPOLLERR | EPOLLHUP)) action |= NC_CSELECT_ERR | NC_CSELECT_IN;
        if (action & NC_CSELECT_IN) nc_interest_arrived(loop, fd);
        int running;
        nc_curl.multi_socket_action(loop->multi, fd, action, &running);
        if (loop->has_ready_steps) tell_sent(loop);
    }
    nc_sessions_serve(loop);
}

int nc_group_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

int nc_group_watch(int group, int descriptor, void *member) {
    // Level-triggered: a turn need not serve all that is ready.
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = member};
    return epoll_ctl(group, EPOLL_CTL_ADD, descriptor, &event);
}

void nc_group_forget(int group, int descriptor) { epoll_ctl(group, EPOLL_CTL_DEL, descriptor, NULL); }

int nc_group_wait(int group, int64_t until, void **ready, int capacity) {
    struct epoll_event events[EVENTS];
    int count = nc_wait(group, events, capacity < EVENTS ? capacity : EVENTS, until);
    for (int index = 0; index < count; index++) ready[index] = events[index].data.ptr;
    return count;
}

int nc_loop_watch(nc_loop *loop, int fd, int what) { return nc_interest_watch(loop, fd, what); }

nc_transfer *nc_loop_next_done(nc_loop *loop, int *result) {
    int rest;
    nc_message *message;
    nc_transfer *stream = next_done_stream(loop);
    if (stream) {
        *result = stream->http2_end == NC_HTTP2_WHOLE && !stream->failure ? NC_E_OK : NC_E_HTTP2_STREAM;
        return stream;
    }
    while ((message = nc_curl.multi_info_read(loop->multi, &rest))) {
        if (message->msg != NC_MESSAGE_DONE) continue;
        *result = message->data.result;
        nc_transfer *transfer = NULL;
        nc_curl.easy_getinfo(message->easy_handle, NC_INFO_PRIVATE, &transfer);
        if (transfer) return transfer;
    }
    return NULL;
}

nc_transfer *nc_loop_next_event(nc_loop *loop) {
    nc_transfer *transfer = loop->first_event;
    if (!transfer) return NULL;
    loop->first_event = transfer->next_event;
    if (!loop->first_event) loop->last_event = NULL;
    transfer->has_event = 0;
    transfer->next_event = NULL;
    return transfer;
}
#else
typedef int nc_unused_loop;
#endif
