// OpenSSL (libssl and libcrypto 1.1.1 or 3), which is loaded at run time: building needs neither its headers nor `-l` flags.
#ifndef NC_TLS_H
#define NC_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin
// What the lists below expand to is not seen as between `begin` and `end`.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct nc_ssl_context nc_ssl_context;        // SSL_CTX
typedef struct nc_ssl nc_ssl;                        // SSL
typedef struct nc_ssl_session nc_ssl_session;        // SSL_SESSION
typedef struct nc_tls_bio nc_tls_bio;                // BIO
typedef struct nc_tls_bio_method nc_tls_bio_method;  // BIO_METHOD
typedef struct nc_tls_x509 nc_tls_x509;              // X509
typedef struct nc_tls_key nc_tls_key;                // EVP_PKEY
typedef struct nc_tls_pkcs12 nc_tls_pkcs12;          // PKCS12
typedef struct nc_tls_stack nc_tls_stack;            // STACK_OF(…)
typedef struct nc_tls_store nc_tls_store;            // X509_STORE
typedef struct nc_tls_proof nc_tls_proof;            // X509_STORE_CTX
typedef struct nc_tls_param nc_tls_param;            // X509_VERIFY_PARAM
typedef struct nc_tls_library nc_tls_library;        // OSSL_LIB_CTX
typedef struct nc_tls_provider nc_tls_provider;      // OSSL_PROVIDER

// MARK: Values, the same in OpenSSL 1.1.1 and 3

#define NC_TLS_ERROR_WANT_READ 2
#define NC_TLS_ERROR_WANT_WRITE 3
#define NC_TLS_ERROR_ZERO_RETURN 6

#define NC_TLS_CTRL_MODE 33
#define NC_TLS_CTRL_SET_READ_AHEAD 41
#define NC_TLS_CTRL_SET_SESS_CACHE_MODE 44
#define NC_TLS_CTRL_SET_TLSEXT_HOSTNAME 55
#define NC_TLS_CTRL_SET_VERIFY_CERT_STORE 106
#define NC_TLS_CTRL_SET_MIN_PROTO_VERSION 123

/// ENABLE_PARTIAL_WRITE, ACCEPT_MOVING_WRITE_BUFFER, AUTO_RETRY and RELEASE_BUFFERS.
#define NC_TLS_MODES 0x17
/// CLIENT and NO_INTERNAL: only the callback gets the sessions.
#define NC_TLS_SESS_CACHE 0x301
/// Pads a ClientHello of 256 to 511 bytes, at which some old load balancers hang.
#define NC_TLS_OP_TLSEXT_PADDING 0x10
#define NC_TLS_VERIFY_NONE 0
#define NC_TLS_VERIFY_PEER 1
#define NC_TLS_SENT_AND_RECEIVED_SHUTDOWN 3
#define NC_TLS_VERSION_1_0 0x301
#define NC_TLS_VERSION_1_3 0x304

/// NO_PARTIAL_WILDCARDS and NEVER_CHECK_SUBJECT (RFC 9525).
#define NC_TLS_HOST_FLAGS 0x24
#define NC_TLS_STORE_PARTIAL_CHAIN 0x80000
#define NC_TLS_V_HOSTNAME_MISMATCH 62
#define NC_TLS_V_IP_ADDRESS_MISMATCH 64
#define NC_TLS_LIB_SSL 20
#define NC_TLS_LIB_PEM 9
#define NC_TLS_R_NO_START_LINE 108
#define NC_TLS_R_CERTIFICATE_VERIFY_FAILED 134
#define NC_TLS_R_UNEXPECTED_EOF 294
/// Added to the number of an alert from the server (RFC 8446, section 6).
#define NC_TLS_R_ALERT_OFFSET 1000

// MARK: Functions

typedef int (*nc_tls_session_handler)(nc_ssl *ssl, nc_ssl_session *session);
typedef int (*nc_tls_certificate_handler)(nc_ssl *ssl, void *_Nullable context);

/// The functions that are used. The optional ones exist since OpenSSL 3.
#define NC_TLS_FUNCTIONS(X, OPTIONAL) \
    X(unsigned long, OpenSSL_version_num, (void)) \
    X(const void *_Nonnull, TLS_client_method, (void)) \
    X(nc_ssl_context *_Nullable, SSL_CTX_new, (const void *)) \
    X(void, SSL_CTX_free, (nc_ssl_context *)) \
    X(long, SSL_CTX_ctrl, (nc_ssl_context *, int, long, void *_Nullable)) \
    X(uint64_t, SSL_CTX_set_options, (nc_ssl_context *, uint64_t)) \
    X(void, SSL_CTX_sess_set_new_cb, (nc_ssl_context *, nc_tls_session_handler)) \
    X(void, SSL_CTX_set_cert_cb, (nc_ssl_context *, nc_tls_certificate_handler, void *_Nullable)) \
    X(void, SSL_CTX_set_default_read_buffer_len, (nc_ssl_context *, size_t)) \
    X(nc_ssl *_Nullable, SSL_new, (nc_ssl_context *)) \
    X(void, SSL_free, (nc_ssl *)) \
    X(long, SSL_ctrl, (nc_ssl *, int, long, void *_Nullable)) \
    X(void, SSL_set_bio, (nc_ssl *, nc_tls_bio *, nc_tls_bio *)) \
    X(void, SSL_set_connect_state, (nc_ssl *)) \
    X(int, SSL_do_handshake, (nc_ssl *)) \
    X(int, SSL_read, (nc_ssl *, void *, int)) \
    X(int, SSL_peek, (nc_ssl *, void *, int)) \
    X(int, SSL_write, (nc_ssl *, const void *, int)) \
    X(int, SSL_free_buffers, (nc_ssl *)) \
    X(const char *_Nonnull, SSL_rstate_string, (const nc_ssl *)) \
    X(int, SSL_shutdown, (nc_ssl *)) \
    X(void, SSL_set_shutdown, (nc_ssl *, int)) \
    X(int, SSL_get_error, (const nc_ssl *, int)) \
    X(int, SSL_has_pending, (const nc_ssl *)) \
    X(void, SSL_set_verify, (nc_ssl *, int, const void *_Nullable)) \
    X(long, SSL_get_verify_result, (const nc_ssl *)) \
    X(nc_tls_param *_Nullable, SSL_get0_param, (nc_ssl *)) \
    X(int, SSL_set_alpn_protos, (nc_ssl *, const uint8_t *_Nullable, unsigned)) \
    X(void, SSL_get0_alpn_selected, (const nc_ssl *, const uint8_t *_Nullable *_Nonnull, unsigned *)) \
    X(int, SSL_version, (const nc_ssl *)) \
    X(const void *_Nullable, SSL_get_current_cipher, (const nc_ssl *)) \
    X(const char *_Nullable, SSL_CIPHER_standard_name, (const void *)) \
    X(nc_tls_stack *_Nullable, SSL_get_peer_cert_chain, (const nc_ssl *)) \
    X(int, SSL_session_reused, (const nc_ssl *)) \
    X(int, SSL_set_session, (nc_ssl *, nc_ssl_session *)) \
    X(int, SSL_set_ex_data, (nc_ssl *, int, void *_Nullable)) \
    X(void *_Nullable, SSL_get_ex_data, (const nc_ssl *, int)) \
    X(int, SSL_use_cert_and_key, (nc_ssl *, nc_tls_x509 *, nc_tls_key *, nc_tls_stack *_Nullable, int)) \
    X(void, SSL_set_post_handshake_auth, (nc_ssl *, int)) \
    X(void, SSL_SESSION_free, (nc_ssl_session *)) \
    X(int, SSL_SESSION_is_resumable, (const nc_ssl_session *)) \
    X(int, SSL_SESSION_get_protocol_version, (const nc_ssl_session *)) \
    X(void, X509_VERIFY_PARAM_set_hostflags, (nc_tls_param *, unsigned)) \
    X(int, X509_VERIFY_PARAM_set1_host, (nc_tls_param *, const char *, size_t)) \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (nc_tls_param *, const char *)) \
    X(const char *_Nonnull, X509_verify_cert_error_string, (long)) \
    X(const char *_Nonnull, X509_get_default_cert_file, (void)) \
    X(nc_tls_store *_Nullable, X509_STORE_new, (void)) \
    X(void, X509_STORE_free, (nc_tls_store *_Nullable)) \
    X(int, X509_STORE_add_cert, (nc_tls_store *, nc_tls_x509 *)) \
    X(int, X509_STORE_set_flags, (nc_tls_store *, unsigned long)) \
    X(int, X509_STORE_load_locations, (nc_tls_store *, const char *_Nullable, const char *_Nullable)) \
    X(nc_tls_proof *_Nullable, X509_STORE_CTX_new, (void)) \
    X(void, X509_STORE_CTX_free, (nc_tls_proof *_Nullable)) \
    X(int, X509_STORE_CTX_init, (nc_tls_proof *, nc_tls_store *, nc_tls_x509 *, nc_tls_stack *)) \
    X(int, X509_STORE_CTX_set_default, (nc_tls_proof *, const char *)) \
    X(int, X509_verify_cert, (nc_tls_proof *)) \
    X(nc_tls_x509 *_Nullable, d2i_X509, (nc_tls_x509 *_Nullable *_Nullable, const uint8_t *_Nullable *_Nonnull, long)) \
    X(int, i2d_X509, (const nc_tls_x509 *, uint8_t *_Nullable *_Nullable)) \
    X(void, X509_free, (nc_tls_x509 *_Nullable)) \
    X(nc_tls_stack *_Nullable, OPENSSL_sk_new_null, (void)) \
    X(int, OPENSSL_sk_push, (nc_tls_stack *, const void *)) \
    X(int, OPENSSL_sk_num, (const nc_tls_stack *_Nullable)) \
    X(void *_Nullable, OPENSSL_sk_value, (const nc_tls_stack *, int)) \
    X(void, OPENSSL_sk_free, (nc_tls_stack *_Nullable)) \
    X(const nc_tls_bio_method *_Nonnull, BIO_s_mem, (void)) \
    X(int, BIO_write, (nc_tls_bio *, const void *_Nullable, int)) \
    X(int, BIO_free, (nc_tls_bio *_Nullable)) \
    X(nc_tls_x509 *_Nullable, PEM_read_bio_X509_AUX, \
      (nc_tls_bio *, nc_tls_x509 *_Nullable *_Nullable, const void *_Nullable, const char *)) \
    X(nc_tls_key *_Nullable, PEM_read_bio_PrivateKey, \
      (nc_tls_bio *, nc_tls_key *_Nullable *_Nullable, const void *_Nullable, const char *)) \
    X(void, EVP_PKEY_free, (nc_tls_key *_Nullable)) \
    X(nc_tls_pkcs12 *_Nullable, d2i_PKCS12, \
      (nc_tls_pkcs12 *_Nullable *_Nullable, const uint8_t *_Nullable *_Nonnull, long)) \
    X(int, PKCS12_parse, \
      (nc_tls_pkcs12 *, const char *, nc_tls_key *_Nullable *_Nonnull, nc_tls_x509 *_Nullable *_Nonnull, \
       nc_tls_stack *_Nullable *_Nonnull)) \
    X(void, PKCS12_free, (nc_tls_pkcs12 *_Nullable)) \
    X(unsigned long, ERR_get_error, (void)) \
    X(void, ERR_error_string_n, (unsigned long, char *, size_t)) \
    X(void, ERR_clear_error, (void)) \
    X(nc_tls_bio *_Nullable, BIO_new, (const nc_tls_bio_method *)) \
    X(int, BIO_get_new_index, (void)) \
    X(nc_tls_bio_method *_Nullable, BIO_meth_new, (int, const char *)) \
    X(int, BIO_meth_set_read, (nc_tls_bio_method *, int (*)(nc_tls_bio *, char *, int))) \
    X(int, BIO_meth_set_write, (nc_tls_bio_method *, int (*)(nc_tls_bio *, const char *, int))) \
    X(int, BIO_meth_set_ctrl, (nc_tls_bio_method *, long (*)(nc_tls_bio *, int, long, void *_Nullable))) \
    X(void, BIO_set_data, (nc_tls_bio *, void *)) \
    X(void *, BIO_get_data, (nc_tls_bio *)) \
    X(void, BIO_set_init, (nc_tls_bio *, int)) \
    X(void, BIO_set_flags, (nc_tls_bio *, int)) \
    X(void, BIO_clear_flags, (nc_tls_bio *, int)) \
    OPTIONAL(nc_tls_provider *_Nullable, OSSL_PROVIDER_try_load, (nc_tls_library *_Nullable, const char *, int)) \
    OPTIONAL(int, OSSL_PROVIDER_unload, (nc_tls_provider *))

struct nc_tls_functions {
#define X(type, name, parameters) type (*_Nonnull name) parameters;
#define OPTIONAL(type, name, parameters) type (*_Nullable name) parameters;
    NC_TLS_FUNCTIONS(X, OPTIONAL)
#undef X
#undef OPTIONAL
};

/// Only after `nc_tls_load` has returned NULL. It is not changed afterwards.
extern struct nc_tls_functions nc_tls __attribute__((swift_attr("nonisolated(unsafe)")));

/// Loads OpenSSL once. Returns why it is unavailable, or NULL.
const char *_Nullable nc_tls_load(void);

// MARK: The bytes beneath

/// Where a session reads and writes its records: a socket, or another session.
typedef struct nc_tls_link {
    /// A non-blocking socket, which stays open.
    int fd;
    /// The `errno` of the call that failed, or 0.
    int error;
    /// Whether the peer has closed its side.
    bool is_ended;
    /// Whether the last read took all that had arrived.
    bool is_drained;
    /// The session around this one, in place of the socket.
    nc_ssl *_Nullable outer;
} nc_tls_link;

/// Has the session read and write through the link, which must outlive it. Returns false if memory is short.
bool nc_tls_attach(nc_ssl *ssl, nc_tls_link *link);

#pragma clang diagnostic pop
#pragma clang assume_nonnull end

#endif
