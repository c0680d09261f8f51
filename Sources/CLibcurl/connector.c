#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_connector.h"

#include "include/nc_loader.h"
#include "include/nc_mailbox.h"
#include "nc_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// An event loop by `curl_multi_socket_action`, since only its callback shows the descriptors that libcurl opens itself, which must be closed
// in child processes. `curl_multi_poll` hides them.

enum { EVENTS = 64 };

struct nc_connector {
    nc_multi *multi;
    nc_connector_handlers handlers;
    /// When libcurl's timer is due: a time of `nc_clock`.
    int64_t due;
    int epoll, wakeup;
};

static int on_timer(nc_multi *multi, long milliseconds, void *raw) {
    (void)multi;
    ((nc_connector *)raw)->due = milliseconds < 0 ? NC_NEVER : nc_clock() + (int64_t)milliseconds * 1000000;
    return 0;
}

static int on_socket(nc_easy *easy, int fd, int what, void *raw, void *unused) {
    (void)easy, (void)unused;
    int epoll = ((nc_connector *)raw)->epoll;
    if (what == NC_POLL_REMOVE) return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL), 0;
    // Not one of `on_open`: the pair by which the resolver's thread reports, or a connection for DNS over HTTPS.
    nc_seal_pair(fd);
    nc_seal(fd);
    struct epoll_event event = {
        .events = (what & NC_POLL_IN ? EPOLLIN : 0) | (what & NC_POLL_OUT ? EPOLLOUT : 0), .data.fd = fd};
    // If the kernel has no memory to watch it, the time to connect ends the connection.
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0) epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    return 0;
}

nc_connector *nc_connector_make(nc_connector_handlers handlers) {
    nc_connector *connector = calloc(1, sizeof *connector);
    if (!connector) return NULL;
    connector->handlers = handlers;
    connector->due = NC_NEVER;
    connector->epoll = epoll_create1(EPOLL_CLOEXEC);
    connector->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    connector->multi = nc_curl.multi_init();
    // Edge-triggered, so that the eventfd need not be read.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = connector->wakeup};
    if (!connector->multi || connector->epoll < 0 || connector->wakeup < 0
        || epoll_ctl(connector->epoll, EPOLL_CTL_ADD, connector->wakeup, &event) < 0) {
        nc_connector_free(connector);
        return NULL;
    }
    nc_seal_wakeup(connector->multi);
    nc_curl.multi_setopt(connector->multi, NC_MOPT_SOCKETFUNCTION, on_socket);
    nc_curl.multi_setopt(connector->multi, NC_MOPT_SOCKETDATA, connector);
    nc_curl.multi_setopt(connector->multi, NC_MOPT_TIMERFUNCTION, on_timer);
    nc_curl.multi_setopt(connector->multi, NC_MOPT_TIMERDATA, connector);
    return connector;
}

void nc_connector_free(nc_connector *connector) {
    int reason = errno;
    if (connector->multi) nc_curl.multi_cleanup(connector->multi);
    if (connector->epoll >= 0) close(connector->epoll);
    if (connector->wakeup >= 0) close(connector->wakeup);
    free(connector);
    errno = reason;
}

void nc_connector_wake(nc_connector *connector) {
    uint64_t one = 1;
    while (write(connector->wakeup, &one, sizeof one) < 0 && errno == EINTR) {}
}

void nc_connector_wait(nc_connector *connector, int64_t until) {
    if (connector->due < until) until = connector->due;
    // Rounded up, so that the timer is due when the wait ends, and at most a minute.
    int64_t rest = until == NC_NEVER ? 60000 : (until - nc_clock() + 999999) / 1000000;
    struct epoll_event events[EVENTS];
    nc_thread_works(false);
    int count = epoll_wait(connector->epoll, events, EVENTS, rest < 0 ? 0 : rest > 60000 ? 60000 : (int)rest);
    nc_thread_works(true);
    int running;
    for (int index = 0; index < count; index++) {
        uint32_t ready = events[index].events;
        if (events[index].data.fd == connector->wakeup) continue;
        int action = (ready & EPOLLIN ? NC_CSELECT_IN : 0) | (ready & EPOLLOUT ? NC_CSELECT_OUT : 0);
        if (ready & (EPOLLERR | EPOLLHUP)) action |= NC_CSELECT_ERR | NC_CSELECT_IN;
        nc_curl.multi_socket_action(connector->multi, events[index].data.fd, action, &running);
    }
    if (connector->due == NC_NEVER || connector->due > nc_clock()) return;
    connector->due = NC_NEVER;
    nc_curl.multi_socket_action(connector->multi, NC_SOCKET_TIMEOUT, 0, &running);
}

nc_opening *nc_connector_next(nc_connector *connector, int *result) {
    int rest;
    nc_message *message;
    while ((message = nc_curl.multi_info_read(connector->multi, &rest))) {
        nc_opening *opening = NULL;
        if (message->msg != NC_MESSAGE_DONE) continue;
        *result = message->data.result;
        nc_curl.easy_getinfo(message->easy_handle, NC_INFO_PRIVATE, &opening);
        if (opening) return opening;
    }
    return NULL;
}

// MARK: One connection

static const void *bytes_of(const struct sockaddr *address) {
    return address->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr
                                          : &((const struct sockaddr_in *)(const void *)address)->sin_addr;
}

/// Returns false if it is not an address of IP.
static bool describe(const struct sockaddr *address, nc_endpoint *endpoint) {
    *endpoint = (nc_endpoint){.port = 0};
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return false;
    inet_ntop(address->sa_family, bytes_of(address), endpoint->address, sizeof endpoint->address);
    // The port is in the same place in both.
    endpoint->port = ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
    return true;
}

/// Decides about an address just before it is connected to, and not after the name look-up: so nothing can come between.
static int on_open(void *raw, int purpose, nc_sockaddr *address) {
    (void)purpose;
    nc_opening *opening = raw;
    // libcurl's own struct has room for the longer addresses of IPv6.
    const struct sockaddr *any = &address->addr;
    nc_endpoint remote;
    bool is_ip = describe(any, &remote);
    // Also an address in the URL or of DNS over HTTPS, for which libcurl ignores `CURLOPT_IPRESOLVE`.
    if (opening->family && address->family != opening->family) {
        opening->family_refused = 1;
        return -1;
    }
    const nc_connector_handlers *handlers = &opening->connector->handlers;
    size_t length = address->family == AF_INET6 ? 16 : 4;
    if (opening->checks_addresses && (!is_ip || !handlers->allows(opening->owner, bytes_of(any), length))) {
        opening->address_refused = 1;
        return -1;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        opening->open_errno = errno;
        return -1;
    }
    bool is_first = opening->opened_count++ == 0;
    if (is_ip && opening->tells_steps) handlers->opens(opening->owner, remote.address, remote.port, is_first);
    return fd;
}

static int on_look_up(void *resolver, void *reserved, void *raw) {
    (void)resolver, (void)reserved;
    ((nc_opening *)raw)->look_up_refused = 1;
    return 1;
}

nc_opening *nc_opening_make(nc_connector *connector, void *owner) {
    nc_opening *opening = calloc(1, sizeof *opening);
    nc_easy *easy = opening ? nc_curl.easy_init() : NULL;
    if (!easy) {
        free(opening);
        return NULL;
    }
    opening->easy = easy;
    opening->connector = connector;
    opening->owner = owner;
    return opening;
}

#define SET(kind, option, value) \
    if (nc_set_##kind(opening->easy, option, value)) return option

nc_option nc_opening_bind(nc_opening *opening) {
    SET(pointer, NC_OPT_PRIVATE, opening);
    SET(pointer, NC_OPT_ERRORBUFFER, opening->error);
    SET(pointer, NC_OPT_OPENSOCKETFUNCTION, (void *)on_open);
    SET(pointer, NC_OPT_OPENSOCKETDATA, opening);
    SET(long, NC_OPT_NOSIGNAL, 1);
    SET(long, NC_OPT_CONNECT_ONLY, 1);
    SET(long, NC_OPT_FRESH_CONNECT, 1);
    return 0;
}

nc_option nc_opening_resolve(nc_opening *opening, nc_slist *list, int forbids_look_up) {
    nc_list_free(opening->addresses);
    opening->addresses = list;
    SET(pointer, NC_OPT_RESOLVE, list);
    if (!forbids_look_up) return 0;
    SET(pointer, NC_OPT_RESOLVER_START_FUNCTION, (void *)on_look_up);
    SET(pointer, NC_OPT_RESOLVER_START_DATA, opening);
    return 0;
}

int nc_opening_start(nc_opening *opening) {
    return nc_curl.multi_add_handle(opening->connector->multi, opening->easy);
}

int nc_opening_take(nc_opening *opening, nc_endpoint *local, nc_endpoint *remote) {
    int fd = nc_info_socket(opening->easy);
    struct sockaddr_storage ends[2] = {{.ss_family = AF_UNSPEC}, {.ss_family = AF_UNSPEC}};
    socklen_t lengths[2] = {sizeof *ends, sizeof *ends};
    getsockname(fd, (struct sockaddr *)&ends[0], &lengths[0]);
    getpeername(fd, (struct sockaddr *)&ends[1], &lengths[1]);
    describe((struct sockaddr *)&ends[0], local);
    describe((struct sockaddr *)&ends[1], remote);
    // Otherwise epoll would watch the connection as long as the duplicate is open, also after libcurl has closed its own descriptor.
    epoll_ctl(opening->connector->epoll, EPOLL_CTL_DEL, fd, NULL);
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void nc_opening_free(nc_opening *opening) {
    // Without an effect if it was not started.
    nc_curl.multi_remove_handle(opening->connector->multi, opening->easy);
    nc_curl.easy_cleanup(opening->easy);
    nc_list_free(opening->addresses);
    free(opening);
}
#else
typedef int nc_unused_connector;
#endif
