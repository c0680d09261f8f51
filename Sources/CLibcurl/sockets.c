#if defined(__linux__)
// Connections before their first byte: sockets, addresses, trust, and the choice of HTTP/2.
#define _GNU_SOURCE
#include "include/nc_loader.h"
#include "include/nc_loop.h"
#include "include/nc_transfer.h"
#include "nc_nghttp2.h"
#include "nc_private.h"
#include "nc_session.h"

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
    // Also of an address in the URL or from DNS over HTTPS, for which libcurl ignores its own option.
    if (transfer->loop->family && address->family != transfer->loop->family) {
        transfer->family_refused = 1;
        return -1;
    }
    // Checked here and not after the name look-up, since this is the address that is connected to.
    if (transfer->loop->checks_addresses && !is_allowed(transfer->loop, address)) {
        transfer->address_refused = 1;
        return -1;
    }
    // Child processes would inherit sockets that libcurl opens itself.
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        transfer->open_errno = errno;
        return -1;
    }
    transfer->last_activity = transfer->loop->now;
    if (transfer->tells_steps) nc_step_opening(transfer, address);
    transfer->opened[transfer->opened_count++ % NC_OPENED_MAX] = fd;
    nc_interest_opened(transfer->loop, fd);
    return fd;
}

int nc_on_close(void *raw, int fd) {
    nc_loop *loop = raw;
    nc_interest_closed(loop, fd);
    nc_connection_closed(loop, fd);
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

/// Returns the socket in use among the sockets that were opened for the transfer: there are several if both address families were tried.
static int descriptor_of(const nc_transfer *transfer, int local_port) {
    int count = transfer->opened_count < NC_OPENED_MAX ? transfer->opened_count : NC_OPENED_MAX;
    for (int index = 0; index < count; index++)
        if (port_of(transfer->opened[index]) == local_port) return transfer->opened[index];
    return -1;
}

// MARK: The choice of a version

int nc_on_look_up(void *resolver, void *reserved, void *raw) {
    (void)resolver, (void)reserved;
    ((nc_transfer *)raw)->failure = NC_FAILURE_LOOK_UP;
    return 1;
}

/// Called for each new TLS connection, before its handshake: for a proxy with TLS, and then for the server in the tunnel.
int nc_on_tls(nc_easy *easy, void *context, void *raw) {
    static const unsigned char both[] = "\x02h2\x08http/1.1";
    nc_transfer *transfer = raw;
    // libcurl's own connection for DNS over HTTPS inherits the callback. It speaks what libcurl can speak.
    if (easy != transfer->easy) return 0;
    bool is_proxy = transfer->has_tls_proxy && transfer->secured_count != transfer->opened_count;
    transfer->secured_count = transfer->opened_count;
    if (transfer->tells_steps) nc_step_connected(transfer);
    bool offers_http2 = transfer->offers_http2 && !is_proxy;
    const unsigned char *names = offers_http2 ? both : both + 3;
    size_t length = !offers_http2 ? sizeof both - 4 : transfer->requires_http2 ? 3 : sizeof both - 1;
    return nc_ssl_lib.set_alpn_protos(context, names, (unsigned)length) ? 27 : 0;
}

static bool speaks_http2(const nc_transfer *transfer) {
    nc_tls *tls = NULL;
    const unsigned char *name = NULL;
    unsigned length = 0;
    if (transfer->loop->stream_window <= 0) return false;
    if (transfer->requires_http2 && !transfer->is_tls) return true;
    if (!nc_curl.easy_getinfo(transfer->easy, NC_INFO_TLS_SSL_PTR, &tls) && tls && tls->internals)
        nc_ssl_lib.get0_alpn_selected(tls->internals, &name, &length);
    return length == 2 && !memcmp(name, "h2", 2);
}

/// Called after the handshake, before a byte is sent. libcurl reads `CURLOPT_CONNECT_ONLY` only after this, so it leaves an HTTP/2 connection
/// as it is.
static int choose_version(nc_transfer *transfer) {
    if (transfer->requires_http2 && !speaks_http2(transfer)) {
        transfer->failure = NC_FAILURE_NO_HTTP2;
        return NC_PREREQFUNC_ABORT;
    }
    transfer->alpn_known = 1;
    if (speaks_http2(transfer)) {
        transfer->is_taken_over = 1;
        transfer->needs_reset = 1;
        nc_set_long(transfer->easy, NC_OPT_CONNECT_ONLY, 1);
        // The session closes the connection; libcurl must not.
        nc_set_long(transfer->easy, NC_OPT_FORBID_REUSE, 0);
    } else {
        nc_loop_has_chosen(transfer->loop, transfer);
        nc_transfer_signal(transfer);
    }
    return NC_PREREQFUNC_OK;
}

// MARK: The request

int nc_on_ready(void *raw, char *remote, char *local, int remote_port, int local_port) {
    nc_transfer *transfer = raw;
    transfer->last_activity = transfer->loop->now;
    // The second call, without a byte of a response: the connection was used before, and has closed. libcurl would send the request again,
    // whatever its method. If a part of it was sent, the server may have processed it, so the retry engine must decide.
    if (transfer->request_began && !transfer->head_total) {
        long sent = 0;
        nc_curl.easy_getinfo(transfer->easy, NC_INFO_REQUEST_SIZE, &sent);
        if (sent > 0) {
            transfer->failure = NC_FAILURE_RESENDING;
            return NC_PREREQFUNC_ABORT;
        }
    }
    // Until a connection is taken over, libcurl treats it as idle and may give it to another transfer. This closes it, and both start again.
    if (!transfer->opened_count && speaks_http2(transfer)) {
        transfer->failure = NC_FAILURE_TAKEN;
        return NC_PREREQFUNC_ABORT;
    }
    transfer->request_began = 1;
    int fd = transfer->opened_count ? descriptor_of(transfer, local_port) : -1;
    nc_connection_note(transfer, local, local_port, remote, remote_port, fd);
    if (transfer->tells_steps) nc_step_ready(transfer);
    // A connection that was used before speaks HTTP/1.1: the others are taken over.
    bool is_choice = transfer->offers_http2 && transfer->opened_count > 0;
    if (!transfer->asks_trust) return is_choice ? choose_version(transfer) : NC_PREREQFUNC_OK;
    char connection[160];
    snprintf(
        connection, sizeof connection, "%s|%d|%s|%d", local ? local : "", local_port, remote ? remote : "", remote_port);
    if (transfer->loop->handlers.trust(transfer->owner, transfer, connection, fd))
        return is_choice ? choose_version(transfer) : NC_PREREQFUNC_OK;
    transfer->failure = NC_FAILURE_TRUST;
    return NC_PREREQFUNC_ABORT;
}
#else
typedef int nc_unused_sockets;
#endif
