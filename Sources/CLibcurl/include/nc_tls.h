// OpenSSL (libssl and libcrypto 1.1.1 or 3), which is loaded at run time: building needs neither its headers nor `-l` flags.
// On other systems than Linux this module is empty.
#ifndef NC_TLS_H
#define NC_TLS_H

#if defined(__linux__)
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

#define NC_TLS_ERROR_SSL 1
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

/// Each has a function with the prefix `nc_tls_`.
#define NC_TLS_FUNCTIONS(X) \
    X(unsigned long, OpenSSL_version_num, (void), ()) \
    X(const void *, TLS_client_method, (void), ()) \
    X(nc_ssl_context *_Nullable, SSL_CTX_new, (const void *method), (method)) \
    X(void, SSL_CTX_free, (nc_ssl_context * context), (context)) \
    X(long, SSL_CTX_ctrl, (nc_ssl_context * context, int command, long number, void *_Nullable value), \
      (context, command, number, value)) \
    X(uint64_t, SSL_CTX_set_options, (nc_ssl_context * context, uint64_t options), (context, options)) \
    X(void, SSL_CTX_sess_set_new_cb, (nc_ssl_context * context, nc_tls_session_handler handler), (context, handler)) \
    X(void, SSL_CTX_set_cert_cb, (nc_ssl_context * context, nc_tls_certificate_handler handler, void *_Nullable value), \
      (context, handler, value)) \
    X(void, SSL_CTX_set_default_read_buffer_len, (nc_ssl_context * context, size_t size), (context, size)) \
    X(nc_ssl *_Nullable, SSL_new, (nc_ssl_context * context), (context)) \
    X(void, SSL_free, (nc_ssl * ssl), (ssl)) \
    X(long, SSL_ctrl, (nc_ssl * ssl, int command, long number, void *_Nullable value), (ssl, command, number, value)) \
    X(void, SSL_set_bio, (nc_ssl * ssl, nc_tls_bio *reading, nc_tls_bio *writing), (ssl, reading, writing)) \
    X(void, SSL_set_connect_state, (nc_ssl * ssl), (ssl)) \
    X(int, SSL_do_handshake, (nc_ssl * ssl), (ssl)) \
    X(int, SSL_read, (nc_ssl * ssl, void *buffer, int capacity), (ssl, buffer, capacity)) \
    X(int, SSL_peek, (nc_ssl * ssl, void *buffer, int capacity), (ssl, buffer, capacity)) \
    X(int, SSL_write, (nc_ssl * ssl, const void *bytes, int count), (ssl, bytes, count)) \
    X(int, SSL_free_buffers, (nc_ssl * ssl), (ssl)) \
    X(const char *, SSL_rstate_string, (const nc_ssl *ssl), (ssl)) \
    X(int, SSL_shutdown, (nc_ssl * ssl), (ssl)) \
    X(void, SSL_set_shutdown, (nc_ssl * ssl, int mode), (ssl, mode)) \
    X(int, SSL_get_error, (const nc_ssl *ssl, int result), (ssl, result)) \
    X(int, SSL_has_pending, (const nc_ssl *ssl), (ssl)) \
    X(void, SSL_set_verify, (nc_ssl * ssl, int mode, const void *_Nullable handler), (ssl, mode, handler)) \
    X(long, SSL_get_verify_result, (const nc_ssl *ssl), (ssl)) \
    X(nc_tls_param *_Nullable, SSL_get0_param, (nc_ssl * ssl), (ssl)) \
    X(int, SSL_set_alpn_protos, (nc_ssl * ssl, const uint8_t *_Nullable list, unsigned length), (ssl, list, length)) \
    X(void, SSL_get0_alpn_selected, (const nc_ssl *ssl, const uint8_t *_Nullable *_Nonnull name, unsigned *length), \
      (ssl, name, length)) \
    X(int, SSL_version, (const nc_ssl *ssl), (ssl)) \
    X(const void *_Nullable, SSL_get_current_cipher, (const nc_ssl *ssl), (ssl)) \
    X(const char *_Nullable, SSL_CIPHER_standard_name, (const void *cipher), (cipher)) \
    X(nc_tls_stack *_Nullable, SSL_get_peer_cert_chain, (const nc_ssl *ssl), (ssl)) \
    X(int, SSL_session_reused, (const nc_ssl *ssl), (ssl)) \
    X(int, SSL_set_session, (nc_ssl * ssl, nc_ssl_session *session), (ssl, session)) \
    X(int, SSL_set_ex_data, (nc_ssl * ssl, int index, void *_Nullable value), (ssl, index, value)) \
    X(void *_Nullable, SSL_get_ex_data, (const nc_ssl *ssl, int index), (ssl, index)) \
    X(int, SSL_use_cert_and_key, \
      (nc_ssl * ssl, nc_tls_x509 *certificate, nc_tls_key *key, nc_tls_stack *_Nullable chain, int replaces), \
      (ssl, certificate, key, chain, replaces)) \
    X(void, SSL_set_post_handshake_auth, (nc_ssl * ssl, int allowed), (ssl, allowed)) \
    X(void, SSL_SESSION_free, (nc_ssl_session * session), (session)) \
    X(int, SSL_SESSION_is_resumable, (const nc_ssl_session *session), (session)) \
    X(int, SSL_SESSION_get_protocol_version, (const nc_ssl_session *session), (session)) \
    X(void, X509_VERIFY_PARAM_set_hostflags, (nc_tls_param * param, unsigned flags), (param, flags)) \
    X(int, X509_VERIFY_PARAM_set1_host, (nc_tls_param * param, const char *name, size_t length), (param, name, length)) \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (nc_tls_param * param, const char *address), (param, address)) \
    X(const char *, X509_verify_cert_error_string, (long error), (error)) \
    X(const char *, X509_get_default_cert_file, (void), ()) \
    X(nc_tls_store *_Nullable, X509_STORE_new, (void), ()) \
    X(void, X509_STORE_free, (nc_tls_store * _Nullable store), (store)) \
    X(int, X509_STORE_add_cert, (nc_tls_store * store, nc_tls_x509 *certificate), (store, certificate)) \
    X(int, X509_STORE_set_flags, (nc_tls_store * store, unsigned long flags), (store, flags)) \
    X(int, X509_STORE_load_locations, \
      (nc_tls_store * store, const char *_Nullable file, const char *_Nullable folder), (store, file, folder)) \
    X(nc_tls_proof *_Nullable, X509_STORE_CTX_new, (void), ()) \
    X(void, X509_STORE_CTX_free, (nc_tls_proof * _Nullable proof), (proof)) \
    X(int, X509_STORE_CTX_init, (nc_tls_proof * proof, nc_tls_store *store, nc_tls_x509 *leaf, nc_tls_stack *others), \
      (proof, store, leaf, others)) \
    X(int, X509_STORE_CTX_set_default, (nc_tls_proof * proof, const char *purpose), (proof, purpose)) \
    X(int, X509_verify_cert, (nc_tls_proof * proof), (proof)) \
    X(nc_tls_x509 *_Nullable, d2i_X509, \
      (nc_tls_x509 * _Nullable *_Nullable place, const uint8_t *_Nullable *_Nonnull bytes, long count), \
      (place, bytes, count)) \
    X(int, i2d_X509, (const nc_tls_x509 *certificate, uint8_t *_Nullable *_Nullable bytes), (certificate, bytes)) \
    X(void, X509_free, (nc_tls_x509 * _Nullable certificate), (certificate)) \
    X(nc_tls_stack *_Nullable, OPENSSL_sk_new_null, (void), ()) \
    X(int, OPENSSL_sk_push, (nc_tls_stack * stack, const void *item), (stack, item)) \
    X(int, OPENSSL_sk_num, (const nc_tls_stack *_Nullable stack), (stack)) \
    X(void *_Nullable, OPENSSL_sk_value, (const nc_tls_stack *stack, int index), (stack, index)) \
    X(void, OPENSSL_sk_free, (nc_tls_stack * _Nullable stack), (stack)) \
    X(const nc_tls_bio_method *, BIO_s_mem, (void), ()) \
    X(int, BIO_write, (nc_tls_bio * bio, const void *_Nullable bytes, int count), (bio, bytes, count)) \
    X(int, BIO_free, (nc_tls_bio * _Nullable bio), (bio)) \
    X(nc_tls_x509 *_Nullable, PEM_read_bio_X509_AUX, \
      (nc_tls_bio * bio, nc_tls_x509 *_Nullable *_Nullable place, const void *_Nullable handler, const char *password), \
      (bio, place, handler, password)) \
    X(nc_tls_key *_Nullable, PEM_read_bio_PrivateKey, \
      (nc_tls_bio * bio, nc_tls_key *_Nullable *_Nullable place, const void *_Nullable handler, const char *password), \
      (bio, place, handler, password)) \
    X(void, EVP_PKEY_free, (nc_tls_key * _Nullable key), (key)) \
    X(nc_tls_pkcs12 *_Nullable, d2i_PKCS12, \
      (nc_tls_pkcs12 * _Nullable *_Nullable place, const uint8_t *_Nullable *_Nonnull bytes, long count), \
      (place, bytes, count)) \
    X(int, PKCS12_parse, \
      (nc_tls_pkcs12 * archive, const char *password, nc_tls_key *_Nullable *_Nonnull key, \
       nc_tls_x509 *_Nullable *_Nonnull certificate, nc_tls_stack *_Nullable *_Nonnull others), \
      (archive, password, key, certificate, others)) \
    X(void, PKCS12_free, (nc_tls_pkcs12 * _Nullable archive), (archive)) \
    X(unsigned long, ERR_get_error, (void), ()) \
    X(void, ERR_error_string_n, (unsigned long error, char *text, size_t capacity), (error, text, capacity)) \
    X(void, ERR_clear_error, (void), ()) \
    X(nc_tls_bio *_Nullable, BIO_new, (const nc_tls_bio_method *method), (method)) \
    X(int, BIO_get_new_index, (void), ()) \
    X(nc_tls_bio_method *_Nullable, BIO_meth_new, (int type, const char *name), (type, name)) \
    X(int, BIO_meth_set_read, (nc_tls_bio_method * method, int (*read)(nc_tls_bio *, char *, int)), (method, read)) \
    X(int, BIO_meth_set_write, (nc_tls_bio_method * method, int (*write)(nc_tls_bio *, const char *, int)), \
      (method, write)) \
    X(int, BIO_meth_set_ctrl, \
      (nc_tls_bio_method * method, long (*control)(nc_tls_bio *, int, long, void *_Nullable)), (method, control)) \
    X(void, BIO_set_data, (nc_tls_bio * bio, void *data), (bio, data)) \
    X(void *, BIO_get_data, (nc_tls_bio * bio), (bio)) \
    X(void, BIO_set_init, (nc_tls_bio * bio, int is_ready), (bio, is_ready)) \
    X(void, BIO_set_flags, (nc_tls_bio * bio, int flags), (bio, flags)) \
    X(void, BIO_clear_flags, (nc_tls_bio * bio, int flags), (bio, flags))

/// Since OpenSSL 3. Before, the functions return NULL or 0.
#define NC_TLS_NEW_FUNCTIONS(X) \
    X(nc_tls_provider *_Nullable, OSSL_PROVIDER_try_load, \
      (nc_tls_library * _Nullable library, const char *name, int keeps_default), (library, name, keeps_default)) \
    X(int, OSSL_PROVIDER_unload, (nc_tls_provider * provider), (provider))

struct nc_tls_functions {
#define X(type, name, parameters, arguments) type(*name) parameters;
    NC_TLS_FUNCTIONS(X)
    NC_TLS_NEW_FUNCTIONS(X)
#undef X
};

extern struct nc_tls_functions nc_tls_lib;

#define X(type, name, parameters, arguments) \
    static inline type nc_tls_##name parameters { return nc_tls_lib.name arguments; }
NC_TLS_FUNCTIONS(X)
#undef X
#define X(type, name, parameters, arguments) \
    static inline type nc_tls_##name parameters { return nc_tls_lib.name ? nc_tls_lib.name arguments : (type)0; }
NC_TLS_NEW_FUNCTIONS(X)
#undef X

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

#endif
