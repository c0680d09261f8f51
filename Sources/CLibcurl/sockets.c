#if defined(__linux__)
// The life of a connection's socket.
#define _GNU_SOURCE
#include "include/nc_loop.h"
#include "include/nc_transfer.h"
#include "nc_callbacks.h"
#include "nc_functions.h"
#include "nc_interest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_allowed(nc_loop *loop, const nc_sockaddr *address) {
    // libcurl's own struct has room for the longer addresses of IPv6.
    const struct sockaddr *any = &address->addr;
    switch (address->family) {
    case AF_INET:
        return loop->handlers.allows(loop->context, (const uint8_t *)&((const struct sockaddr_in *)any)->sin_addr, 4);
    case AF_INET6:
        return loop->handlers.allows(loop->context, (const uint8_t *)&((const struct sockaddr_in6 *)any)->sin6_addr, 16);
    default: return 0;
    }
}

int nc_on_open(void *raw, int purpose, nc_sockaddr *address) {
    (void)purpose;
    nc_transfer *transfer = raw;
    // Here, and not after looking up the name: this is the address to which it will connect.
    if (transfer->loop->checks_addresses && !is_allowed(transfer->loop, address)) {
        transfer->address_refused = 1;
        return -1;
    }
    // libcurl's own sockets are inherited by child processes.
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        transfer->open_errno = errno;
        return -1;
    }
    transfer->last_activity = transfer->loop->now;
    transfer->opened[transfer->opened_count++ % NC_OPENED_MAX] = fd;
    nc_interest_opened(transfer->loop, fd);
    return fd;
}

int nc_on_close(void *raw, int fd) {
    nc_loop *loop = raw;
    nc_interest_closed(loop, fd);
    if (loop->tells_closed) loop->handlers.closed(loop->context, fd);
    return close(fd);
}

static int port_of(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}

/// Of the sockets that were opened for this transfer (several, where both address families were tried), the one in use.
static int descriptor_of(const nc_transfer *transfer, int local_port) {
    int count = transfer->opened_count < NC_OPENED_MAX ? transfer->opened_count : NC_OPENED_MAX;
    for (int index = 0; index < count; index++)
        if (port_of(transfer->opened[index]) == local_port) return transfer->opened[index];
    return -1;
}

int nc_on_ready(void *raw, char *remote, char *local, int remote_port, int local_port) {
    nc_transfer *transfer = raw;
    transfer->last_activity = transfer->loop->now;
    // The second time, without a byte of an answer: the connection was used before and has died. libcurl would send the request again,
    // whatever its method. Where some of it had gone out, the server may have acted on it: that is for the retry engine to decide.
    if (transfer->request_began && !transfer->head_total) {
        long sent = 0;
        nc_curl.easy_getinfo(transfer->easy, NC_INFO_REQUEST_SIZE, &sent);
        if (sent > 0) {
            transfer->failure = NC_FAILURE_RESENDING;
            return NC_PREREQFUNC_ABORT;
        }
    }
    // Until it is taken over it is an idle connection as any other to libcurl, which may give it away. Both begin anew: it is closed here.
    if (!transfer->opened_count && nc_speaks_http2(transfer)) {
        transfer->failure = NC_FAILURE_TAKEN;
        return NC_PREREQFUNC_ABORT;
    }
    transfer->request_began = 1;
    // One that was used before speaks HTTP/1.1, or it would not be libcurl's.
    bool is_choice = transfer->offers_http2 && transfer->opened_count > 0;
    if (!transfer->asks_trust) {
        if (is_choice) nc_choose_version(transfer);
        return NC_PREREQFUNC_OK;
    }
    char connection[160];
    snprintf(
        connection, sizeof connection, "%s|%d|%s|%d", local ? local : "", local_port, remote ? remote : "", remote_port);
    int fd = descriptor_of(transfer, local_port);
    if (transfer->loop->handlers.trust(transfer->owner, transfer, connection, fd)) {
        if (is_choice) nc_choose_version(transfer);
        return NC_PREREQFUNC_OK;
    }
    transfer->failure = NC_FAILURE_TRUST;
    return NC_PREREQFUNC_ABORT;
}
#else
typedef int nc_unused_sockets;
#endif
