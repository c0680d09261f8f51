#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_connector.h"

#include "include/nc_curl.h"
#include "include/nc_threads.h"
#include "nc_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

// MARK: libcurl's functions for Swift, which cannot call variadic ones

const char *nc_version(void) { return nc_curl.version(); }

const char *nc_option_name(nc_option option) {
    switch (option) {
#define X(name, value) \
    case NC_OPT_##name: return "CURLOPT_" #name;
        NC_OPTIONS(X)
#undef X
    }
    return "an unknown option";
}

int nc_set_long(nc_easy *easy, nc_option option, long value) { return nc_curl.easy_setopt(easy, (int)option, value); }

int nc_set_pointer(nc_easy *easy, nc_option option, const void *value) {
    return nc_curl.easy_setopt(easy, (int)option, value);
}

long nc_info_long(nc_easy *easy, nc_info info) {
    long value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

int64_t nc_info_offset(nc_easy *easy, nc_info info) {
    int64_t value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

const char *nc_error_text(int result) { return nc_curl.easy_strerror(result); }

nc_slist *nc_list_append(nc_slist *list, const char *text) { return nc_curl.slist_append(list, text); }

// MARK: The loop

// An event loop by `curl_multi_socket_action`: only its callback shows the descriptors that libcurl opens itself, which child processes
// must not inherit. `curl_multi_poll` hides them.

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

static int on_socket(nc_easy *easy, int fd, int what, void *raw, void *own) {
    (void)easy, (void)own;
    nc_connector *connector = raw;
    if (what == NC_POLL_REMOVE) {
        epoll_ctl(connector->epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    // Not one of `on_open`: it may be the pair by which the resolver's thread reports.
    nc_seal_pair(fd);
    struct epoll_event event = {
        .events = (what & NC_POLL_IN ? EPOLLIN : 0) | (what & NC_POLL_OUT ? EPOLLOUT : 0), .data.fd = fd};
    // If the kernel has no memory to watch it, the time to connect ends the connection.
    if (epoll_ctl(connector->epoll, EPOLL_CTL_MOD, fd, &event) < 0)
        epoll_ctl(connector->epoll, EPOLL_CTL_ADD, fd, &event);
    return 0;
}

nc_connector *nc_connector_make(nc_connector_handlers handlers) {
    nc_connector *connector = calloc(1, sizeof *connector);
    if (!connector) return NULL;
    connector->handlers = handlers;
    connector->due = NC_NEVER;
    connector->epoll = nc_poll_make();
    connector->wakeup = nc_wake_make();
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

void nc_connector_wake(nc_connector *connector) { nc_wake(connector->wakeup); }

void nc_connector_wait(nc_connector *connector, int64_t until) {
    if (connector->due < until) until = connector->due;
    struct epoll_event events[EVENTS];
    int count = nc_wait(connector->epoll, events, EVENTS, until);
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

int nc_abandons_lookups(void) {
    nc_easy *easy = nc_curl.easy_init();
    int result = easy ? nc_set_long(easy, NC_OPT_QUICK_EXIT, 1) : 1;
    if (easy) nc_curl.easy_cleanup(easy);
    return result == 0;
}

nc_names *nc_names_make(void) {
    nc_names *names = nc_curl.share_init();
    // One thread uses it, so it needs no locks.
    if (!names || !nc_curl.share_setopt(names, NC_SHARE_OPTION, NC_LOCK_DATA_DNS)) return names;
    nc_names_free(names);
    return NULL;
}

void nc_names_free(nc_names *names) { nc_curl.share_cleanup(names); }

// MARK: One connection

typedef union ip {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} ip;

static const void *bytes_of(const ip *ip) {
    return ip->any.sa_family == AF_INET6 ? (const void *)&ip->six.sin6_addr : &ip->four.sin_addr;
}

/// Returns an empty endpoint for an address that is not one of IP.
static nc_endpoint describe(const ip *ip) {
    nc_endpoint endpoint = {.port = 0};
    if (ip->any.sa_family != AF_INET && ip->any.sa_family != AF_INET6) return endpoint;
    inet_ntop(ip->any.sa_family, bytes_of(ip), endpoint.address, sizeof endpoint.address);
    // In the same place in both.
    endpoint.port = ntohs(ip->four.sin_port);
    return endpoint;
}

/// Decides about an address just before it is connected to, and not after the name look-up: so nothing can come between.
static int on_open(void *raw, int purpose, nc_sockaddr *address) {
    (void)purpose;
    nc_opening *opening = raw;
    // libcurl's own struct has room for the longer addresses of IPv6.
    const ip *ip = (const void *)&address->addr;
    nc_endpoint remote = describe(ip);
    bool is_ip = remote.address[0];
    // Also an address in the URL or of DNS over HTTPS, for which libcurl ignores `CURLOPT_IPRESOLVE`.
    if (opening->family && address->family != opening->family) {
        opening->family_refused = 1;
        return -1;
    }
    const nc_connector_handlers *handlers = &opening->connector->handlers;
    size_t length = address->family == AF_INET6 ? 16 : 4;
    if (opening->checks_addresses && (!is_ip || !handlers->allows(opening->owner, bytes_of(ip), length))) {
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
    // Every version has these.
    nc_set_pointer(easy, NC_OPT_PRIVATE, opening);
    nc_set_pointer(easy, NC_OPT_ERRORBUFFER, opening->error);
    nc_set_pointer(easy, NC_OPT_OPENSOCKETFUNCTION, (void *)on_open);
    nc_set_pointer(easy, NC_OPT_OPENSOCKETDATA, opening);
    nc_set_long(easy, NC_OPT_NOSIGNAL, 1);
    // The least that libcurl takes: it receives nothing but a proxy's answers.
    nc_set_long(easy, NC_OPT_BUFFERSIZE, 1024);
    nc_set_long(easy, NC_OPT_CONNECT_ONLY, 1);
    nc_set_long(easy, NC_OPT_FRESH_CONNECT, 1);
    return opening;
}

void nc_opening_resolve(nc_opening *opening, nc_slist *list, int forbids_look_up) {
    opening->addresses = list;
    nc_set_pointer(opening->easy, NC_OPT_RESOLVE, list);
    if (!forbids_look_up) return;
    nc_set_pointer(opening->easy, NC_OPT_RESOLVER_START_FUNCTION, (void *)on_look_up);
    nc_set_pointer(opening->easy, NC_OPT_RESOLVER_START_DATA, opening);
}

int nc_opening_start(nc_opening *opening) {
    return nc_curl.multi_add_handle(opening->connector->multi, opening->easy);
}

int nc_opening_take(nc_opening *opening, nc_endpoint *local, nc_endpoint *remote) {
    int fd = -1;
    nc_curl.easy_getinfo(opening->easy, NC_INFO_ACTIVESOCKET, &fd);
    ip own = {.any.sa_family = AF_UNSPEC}, other = own;
    socklen_t own_length = sizeof own, other_length = sizeof other;
    getsockname(fd, &own.any, &own_length);
    getpeername(fd, &other.any, &other_length);
    *local = describe(&own);
    *remote = describe(&other);
    // Otherwise epoll would watch the connection as long as the duplicate is open, also after libcurl has closed its own descriptor.
    epoll_ctl(opening->connector->epoll, EPOLL_CTL_DEL, fd, NULL);
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void nc_opening_free(nc_opening *opening) {
    // Without an effect if it was not started.
    nc_curl.multi_remove_handle(opening->connector->multi, opening->easy);
    nc_curl.easy_cleanup(opening->easy);
    nc_curl.slist_free_all(opening->addresses);
    free(opening);
}
#endif
