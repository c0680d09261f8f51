#include "connection.h"

#include <openssl/pkcs12.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <string.h>

enum { CERTIFICATES_MAX = 16 };

/// In place of OpenSSL's own judgement.
static int on_verify(X509_STORE_CTX *store, void *context) {
    an_connection *connection = context;
    unsigned char *certificates[CERTIFICATES_MAX] = {NULL};
    size_t lengths[CERTIFICATES_MAX] = {0}, count = 0;
    X509 *own = X509_STORE_CTX_get0_cert(store);
    STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(store);
    int others = sent ? sk_X509_num(sent) : 0;
    for (int index = -1; index < others && count < CERTIFICATES_MAX; index++) {
        X509 *certificate = index < 0 ? own : sk_X509_value(sent, index);
        // The server's own stands among the others too.
        if (!certificate || (index >= 0 && X509_cmp(certificate, own) == 0)) continue;
        int length = i2d_X509(certificate, &certificates[count]);
        if (length <= 0) continue;
        lengths[count++] = (size_t)length;
    }
    int is_trusted = connection->callbacks.verify(
        connection->callbacks.context, (const uint8_t *const *)certificates, lengths, count);
    for (size_t index = 0; index < count; index++) OPENSSL_free(certificates[index]);
    X509_STORE_CTX_set_error(store, is_trusted == 1 ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
    return is_trusted == 1;
}

static int use_archive(SSL *ssl, const uint8_t *archive, size_t length, const char *password) {
    EVP_PKEY *key = NULL;
    X509 *certificate = NULL;
    STACK_OF(X509) *chain = NULL;
    PKCS12 *parsed = d2i_PKCS12(NULL, &archive, (long)length);
    int result = parsed && PKCS12_parse(parsed, password, &key, &certificate, &chain) == 1 && key && certificate
        && SSL_use_certificate(ssl, certificate) == 1 && SSL_use_PrivateKey(ssl, key) == 1;
    for (int index = 0; result && chain && index < sk_X509_num(chain); index++)
        result = SSL_add1_chain_cert(ssl, sk_X509_value(chain, index)) == 1;
    EVP_PKEY_free(key);
    X509_free(certificate);
    sk_X509_pop_free(chain, X509_free);
    PKCS12_free(parsed);
    return result;
}

/// The server has asked for a certificate.
static int on_identify(SSL *ssl, void *context) {
    an_connection *connection = context;
    const uint8_t *archive = NULL;
    const char *password = NULL;
    size_t length = 0;
    int answer = connection->callbacks.identify(connection->callbacks.context, &archive, &length, &password);
    if (answer == 0) return 1;
    return answer == 1 && use_archive(ssl, archive, length, password);
}

CURLcode an_prepare_tls(CURL *easy, void *tls, void *context) {
    an_connection *connection = context;
    SSL_CTX_set_cert_verify_callback(tls, on_verify, connection);
    SSL_CTX_set_cert_cb(tls, on_identify, connection);
    SSL_CTX_set_min_proto_version(tls, connection->oldest_tls);
    SSL_CTX_set_max_proto_version(tls, connection->newest_tls);
    return CURLE_OK;
}

void an_sha1(const char *text, size_t length, uint8_t *digest) { SHA1((const unsigned char *)text, length, digest); }
