#if defined(__linux__)
// The open connections, and the steps of an exchange that its observers are told.
#define _GNU_SOURCE
#include "nc_private.h"

#include "include/nc_loader.h"
#include "nc_nghttp2.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

// MARK: Connections

struct nc_connection {
    struct nc_connection *next;
    int fd, local_port, remote_port;
    /// The transfers that have it, and one for the list of open ones.
    int uses;
    char local[48], remote[48];
    /// Swift's object.
    void *object;
};

static void release(nc_loop *loop, nc_connection *connection) {
    if (--connection->uses) return;
    loop->handlers.forget(connection->object);
    free(connection);
}

static bool is_between(const nc_connection *connection, const char *local, int local_port, const char *remote, int remote_port) {
    return connection->local_port == local_port && connection->remote_port == remote_port
        && !strcmp(connection->remote, remote) && !strcmp(connection->local, local);
}

static nc_connection **bucket(nc_loop *loop, int local_port) {
    return &loop->connections[(unsigned)local_port % NC_CONNECTION_BUCKETS];
}

static void drop(nc_loop *loop, nc_connection **link) {
    nc_connection *connection = *link;
    *link = connection->next;
    release(loop, connection);
}

void nc_connection_closed(nc_loop *loop, int fd) {
    for (int index = 0; index < NC_CONNECTION_BUCKETS; index++) {
        nc_connection **link = &loop->connections[index];
        while (*link && (*link)->fd != fd) link = &(*link)->next;
        if (*link) return drop(loop, link);
    }
}

void nc_connection_leave(nc_transfer *transfer) {
    if (transfer->connection) release(transfer->loop, transfer->connection);
    transfer->connection = NULL;
}

void nc_connection_take(nc_transfer *transfer, nc_connection *connection) {
    if (connection) connection->uses++;
    nc_connection_leave(transfer);
    transfer->connection = connection;
}

void *nc_connection_object(const nc_transfer *transfer) {
    return transfer->connection ? transfer->connection->object : NULL;
}

void nc_connection_note(nc_transfer *transfer, const char *local, int local_port, const char *remote, int remote_port, int fd) {
    nc_loop *loop = transfer->loop;
    // A Unix-domain socket has no addresses by which it could be found again.
    if (!local || !remote || local_port <= 0) return nc_connection_leave(transfer);
    nc_connection **first = bucket(loop, local_port), **link = first;
    while (*link && !is_between(*link, local, local_port, remote, remote_port)) link = &(*link)->next;
    if (*link && fd >= 0 && (*link)->fd != fd) drop(loop, link), link = first;
    else if (*link) return nc_connection_take(transfer, *link);
    if (fd < 0 || strlen(local) >= sizeof(*first)->local || strlen(remote) >= sizeof(*first)->remote)
        return nc_connection_leave(transfer);
    nc_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return nc_connection_leave(transfer);
    connection->fd = fd;
    connection->local_port = local_port;
    connection->remote_port = remote_port;
    connection->uses = 1;
    strcpy(connection->local, local);
    strcpy(connection->remote, remote);
    connection->object = loop->handlers.opened(transfer, local, local_port, remote, remote_port);
    connection->next = *first;
    *first = connection;
    nc_connection_take(transfer, connection);
}

// MARK: TLS

/// Returns OpenSSL's session of the transfer's connection, or NULL.
static void *session_of(const nc_transfer *transfer) {
    nc_tls *tls = NULL;
    if (!nc_ssl_lib.get_version || nc_curl.easy_getinfo(transfer->easy, NC_INFO_TLS_SSL_PTR, &tls) || !tls) return NULL;
    return tls->backend == NC_SSLBACKEND_OPENSSL ? tls->internals : NULL;
}

int nc_tls_read(const nc_transfer *transfer, nc_tls_facts *facts) {
    void *session = session_of(transfer);
    *facts = (nc_tls_facts){0};
    if (!session) return 0;
    const void *cipher = nc_ssl_lib.get_current_cipher(session);
    const unsigned char *name = NULL;
    unsigned length = 0;
    facts->version = nc_ssl_lib.get_version(session);
    facts->cipher = cipher ? nc_ssl_lib.cipher_standard_name(cipher) : NULL;
    nc_ssl_lib.get0_alpn_selected(session, &name, &length);
    facts->protocol = (const char *)name;
    facts->protocol_length = name ? length : 0;
    const void *chain = nc_ssl_lib.get_peer_cert_chain(session);
    int count = chain ? nc_ssl_lib.sk_num(chain) : 0;
    // A resumed session may have kept the server's own certificate only.
    facts->certificates = count > 0 ? count : nc_ssl_lib.get0_peer_certificate && nc_ssl_lib.get0_peer_certificate(session);
    return 1;
}

int nc_tls_certificate(const nc_transfer *transfer, int index, uint8_t *bytes) {
    void *session = session_of(transfer);
    if (!session) return 0;
    const void *chain = nc_ssl_lib.get_peer_cert_chain(session);
    const void *certificate = chain && index < nc_ssl_lib.sk_num(chain) ? nc_ssl_lib.sk_value(chain, index) : NULL;
    if (!certificate && index == 0 && nc_ssl_lib.get0_peer_certificate)
        certificate = nc_ssl_lib.get0_peer_certificate(session);
    unsigned char *end = bytes;
    return certificate ? nc_ssl_lib.i2d_X509(certificate, bytes ? &end : NULL) : 0;
}

// MARK: Steps

static void tell(nc_transfer *transfer, nc_step step, const char *address, int port) {
    if (transfer->owner) transfer->loop->handlers.step(transfer->owner, transfer, step, address, port);
}

void nc_step_opening(nc_transfer *transfer, const nc_sockaddr *address) {
    char text[INET6_ADDRSTRLEN] = "";
    const struct sockaddr *any = &address->addr;
    const struct sockaddr_in *four = (const struct sockaddr_in *)any;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)any;
    bool is_six = address->family == AF_INET6;
    if (!is_six && address->family != AF_INET) return;
    if (!transfer->opened_count) tell(transfer, NC_STEP_LOOKED_UP, NULL, 0);
    inet_ntop(address->family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, text, sizeof text);
    tell(transfer, NC_STEP_CONNECTING, text, ntohs(is_six ? six->sin6_port : four->sin_port));
}

void nc_step_connected(nc_transfer *transfer) {
    if (transfer->told_connected) return;
    transfer->told_connected = 1;
    tell(transfer, NC_STEP_CONNECTED, NULL, 0);
}

void nc_step_ready(nc_transfer *transfer) {
    transfer->loop->has_ready_steps = 1;
    if (!transfer->opened_count) return;
    nc_tls *tls = NULL;
    nc_step_connected(transfer);
    if (!nc_curl.easy_getinfo(transfer->easy, NC_INFO_TLS_SSL_PTR, &tls) && tls && tls->internals)
        tell(transfer, NC_STEP_SECURED, NULL, 0);
}

void nc_step_sent(nc_transfer *transfer) {
    if (transfer->told_sent || transfer->told_answered || !transfer->request_began) return;
    if (transfer->upload != NC_UPLOAD_NONE && transfer->upload_length && !transfer->is_body_sent) return;
    transfer->told_sent = 1;
    tell(transfer, NC_STEP_SENT, NULL, 0);
}

void nc_step_answered(nc_transfer *transfer) {
    if (transfer->told_answered) return;
    // libcurl does not always wait for the response: it may be there already.
    nc_step_sent(transfer);
    transfer->told_answered = 1;
    tell(transfer, NC_STEP_FIRST_BYTE, NULL, 0);
}
#else
typedef int nc_unused_connection;
#endif
