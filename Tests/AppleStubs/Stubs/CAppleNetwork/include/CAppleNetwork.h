#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One exchange at a time over libcurl, with the handshake's questions asked of the caller. Used by one thread at a time; only
// an_wake may come from others.

/// Of the calling thread: whether a delegate's method turned out to be the default one.
void an_set_unimplemented(bool value);
bool an_is_unimplemented(void);

enum { AN_PAUSE = -1, AN_ABORT = -2 };

/// All are called within an_begin, an_step, an_unpause and an_end.
typedef struct {
    void *context;
    /// A part of the body: 0, AN_PAUSE (it comes again) or AN_ABORT.
    int (*write)(void *context, const uint8_t *bytes, size_t count);
    /// A line of a head, with its end: 0 or AN_ABORT.
    int (*header)(void *context, const uint8_t *bytes, size_t count);
    /// The next of the request's body: a count, 0 at its end, AN_PAUSE or AN_ABORT.
    long (*read)(void *context, uint8_t *buffer, size_t size);
    /// The body again, from the start: 0 or AN_ABORT.
    int (*rewind)(void *context);
    /// So much of the body was sent: 0 or AN_ABORT.
    int (*progress)(void *context, int64_t sent);
    /// The server's certificates in DER, its own first: 1 if it is trusted.
    int (*verify)(void *context, const uint8_t *const *certificates, const size_t *lengths, size_t count);
    /// The server wants a certificate: 1 with a PKCS#12 archive, 0 for none, -1 to give up. The archive stays the callee's.
    int (*identify)(void *context, const uint8_t **archive, size_t *length, const char **password);
} an_callbacks;

/// Strings may be NULL where that says "none".
typedef struct {
    const char *url;
    const char *method;
    /// "Name: value", or "Name;" for an empty one.
    const char *const *headers;
    size_t header_count;
    bool has_body;
    /// -1 if it is not known.
    int64_t body_length;
    const char *proxy;
    const char *no_proxy;
    const char *proxy_user;
    const char *proxy_password;
    bool proxy_digest;
    const char *digest_user;
    const char *digest_password;
    /// As on the wire: 0x0301 to 0x0304.
    int oldest_tls;
    int newest_tls;
    /// To send and receive bytes with an_send and an_receive once an_step says that it is done.
    bool connects_only;
} an_request;

typedef struct {
    /// libcurl's.
    int code;
    int os_error;
    const char *text;
    long connect_status;
    /// 10, 11, 2 (or 0).
    int http_version;
    bool is_reused;
    bool proxy_offers_digest;
    /// Microseconds from the start.
    int64_t name_lookup, connect, secure_connect, before_transfer, first_byte, total;
    int64_t received;
    const char *remote_address;
    const char *local_address;
    long remote_port, local_port;
} an_result;

typedef struct an_connection an_connection;

an_connection *an_connection_new(void);
void an_connection_free(an_connection *connection);

/// Begins an exchange. False if libcurl refuses what it is given.
bool an_begin(an_connection *connection, const an_request *request, const an_callbacks *callbacks);
/// Goes on, and waits for at most so long if there is nothing to do. True when it is over.
bool an_step(an_connection *connection, int milliseconds);
/// Lets what was paused go on.
void an_unpause(an_connection *connection);
/// Ends an_step's waiting, from any thread.
void an_wake(an_connection *connection);
/// How it went. Its strings are valid until the next call with this connection.
void an_result_of(an_connection *connection, an_result *result);
/// Ends the exchange; if it is not over its connection is closed.
void an_end(an_connection *connection);

/// Bytes sent, AN_PAUSE to come again later, or AN_ABORT.
long an_send(an_connection *connection, const uint8_t *bytes, size_t count);
/// Bytes received, 0 at the end, AN_PAUSE if there are none now, or AN_ABORT.
long an_receive(an_connection *connection, uint8_t *buffer, size_t size);
/// Waits until something can be received (or sent), or for an_wake.
void an_wait(an_connection *connection, bool for_sending, int milliseconds);

/// 20 bytes (RFC 3174), for the handshake of WebSockets.
void an_sha1(const char *text, size_t length, uint8_t *digest);
