#if defined(__linux__)
// OpenSSL's input and output. Its own BIO for sockets raises SIGPIPE, and its BIO for TLS in TLS hides why it waits.
#include "include/nc_tls.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

enum { FLAG_READ = 1, FLAG_WRITE = 2, FLAG_SHOULD_RETRY = 8, FLAGS_OF_RETRY = 15 };
enum { CTRL_EOF = 2, CTRL_FLUSH = 11, TYPE_SOURCE_SINK = 0x400 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static nc_tls_bio_method *method;

/// Ends a call on the socket that returned `result`.
static int finish(nc_tls_bio *bio, nc_tls_link *link, ssize_t result, int flag) {
    if (result >= 0) return (int)result;
    if (errno == EAGAIN || errno == EWOULDBLOCK) nc_tls.BIO_set_flags(bio, flag | FLAG_SHOULD_RETRY);
    else link->error = errno;
    return -1;
}

/// Ends a call on the outer session that returned `result`. An inner session can wait for what the outer one waits for.
static int finish_outer(nc_tls_bio *bio, nc_tls_link *link, int result) {
    if (result > 0) return result;
    switch (nc_tls.SSL_get_error(link->outer, result)) {
    case NC_TLS_ERROR_WANT_READ: nc_tls.BIO_set_flags(bio, FLAG_READ | FLAG_SHOULD_RETRY); return -1;
    case NC_TLS_ERROR_WANT_WRITE: nc_tls.BIO_set_flags(bio, FLAG_WRITE | FLAG_SHOULD_RETRY); return -1;
    case NC_TLS_ERROR_ZERO_RETURN: link->is_ended = true; return 0;
    default: return -1;
    }
}

static int on_read(nc_tls_bio *bio, char *buffer, int capacity) {
    nc_tls_link *link = nc_tls.BIO_get_data(bio);
    nc_tls.BIO_clear_flags(bio, FLAGS_OF_RETRY);
    if (link->outer) return finish_outer(bio, link, nc_tls.SSL_read(link->outer, buffer, capacity));
    ssize_t result;
    do result = recv(link->fd, buffer, (size_t)capacity, MSG_DONTWAIT);
    while (result < 0 && errno == EINTR);
    if (result == 0) link->is_ended = true;
    // The loop is told when there is more.
    link->is_drained = result < 0 || (result > 0 && result < capacity);
    return finish(bio, link, result, FLAG_READ);
}

static int on_write(nc_tls_bio *bio, const char *bytes, int count) {
    nc_tls_link *link = nc_tls.BIO_get_data(bio);
    nc_tls.BIO_clear_flags(bio, FLAGS_OF_RETRY);
    if (link->outer) return finish_outer(bio, link, nc_tls.SSL_write(link->outer, bytes, count));
    ssize_t result;
    do result = send(link->fd, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return finish(bio, link, result, FLAG_WRITE);
}

static long on_control(nc_tls_bio *bio, int command, long number, void *value) {
    (void)number, (void)value;
    nc_tls_link *link = nc_tls.BIO_get_data(bio);
    switch (command) {
    case CTRL_EOF: return link->is_ended;
    case CTRL_FLUSH: return 1;
    default: return 0;
    }
}

static void make_method(void) {
    nc_tls_bio_method *made = nc_tls.BIO_meth_new(nc_tls.BIO_get_new_index() | TYPE_SOURCE_SINK, "link");
    if (!made) return;
    nc_tls.BIO_meth_set_read(made, on_read);
    nc_tls.BIO_meth_set_write(made, on_write);
    nc_tls.BIO_meth_set_ctrl(made, on_control);
    method = made;
}

bool nc_tls_attach(nc_ssl *ssl, nc_tls_link *link) {
    pthread_once(&once, make_method);
    nc_tls_bio *bio = method ? nc_tls.BIO_new(method) : NULL;
    if (!bio) return false;
    nc_tls.BIO_set_data(bio, link);
    nc_tls.BIO_set_init(bio, 1);
    // The session owns it.
    nc_tls.SSL_set_bio(ssl, bio, bio);
    return true;
}
#endif
