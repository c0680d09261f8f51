// What the stub of Security asks OpenSSL.
#include "CAppleSecurity.h"

#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static X509 *parse(const unsigned char *bytes, long length) {
    const unsigned char *end = bytes;
    X509 *certificate = d2i_X509(NULL, &end, length);
    if (certificate && end == bytes + length) return certificate;
    X509_free(certificate);
    return NULL;
}

static size_t append(as_der *ders, size_t count, size_t capacity, X509 *certificate) {
    if (count == capacity) return count;
    ders[count].bytes = NULL;
    ders[count].length = i2d_X509(certificate, &ders[count].bytes);
    return ders[count].length > 0 ? count + 1 : count;
}

int as_is_certificate(const unsigned char *bytes, long length) {
    X509 *certificate = parse(bytes, length);
    X509_free(certificate);
    ERR_clear_error();
    return certificate != NULL;
}

const char *as_text(int code) { return X509_verify_cert_error_string(code); }

static void name(X509_STORE_CTX *context, const char *host) {
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1) X509_VERIFY_PARAM_set1_host(parameters, host, 0);
    ERR_clear_error();
}

size_t as_evaluate(
    const as_der *presented, size_t count, const as_der *anchors, size_t anchor_count, int system_anchors, const char *host,
    as_der *chain, size_t capacity, int *code) {
    *code = X509_V_ERR_UNSPECIFIED;
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    STACK_OF(X509) *others = sk_X509_new_null();
    X509 *leaf = count > 0 ? parse(presented[0].bytes, presented[0].length) : NULL;
    size_t found = 0;
    if (!store || !context || !others || !leaf) goto end;
    for (size_t index = 1; index < count; index++) {
        X509 *other = parse(presented[index].bytes, presented[index].length);
        if (other) sk_X509_push(others, other);
    }
    // An anchor need not be a root, as with Apple.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    if (system_anchors) X509_STORE_set_default_paths(store);
    for (size_t index = 0; index < anchor_count; index++) {
        X509 *anchor = parse(anchors[index].bytes, anchors[index].length);
        if (anchor) X509_STORE_add_cert(store, anchor);
        X509_free(anchor);
    }
    if (X509_STORE_CTX_init(context, store, leaf, others) != 1) goto end;
    X509_STORE_CTX_set_default(context, "ssl_server");
    if (host[0]) name(context, host);
    if (X509_verify_cert(context) == 1) {
        STACK_OF(X509) *verified = X509_STORE_CTX_get0_chain(context);
        for (int index = 0; index < sk_X509_num(verified); index++)
            found = append(chain, found, capacity, sk_X509_value(verified, index));
    }
    *code = X509_STORE_CTX_get_error(context);
end:
    X509_free(leaf);
    sk_X509_pop_free(others, X509_free);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    ERR_clear_error();
    return found;
}

long as_open_archive(const unsigned char *bytes, long length, const char *password, as_der *chain, size_t capacity) {
    const unsigned char *position = bytes;
    PKCS12 *archive = d2i_PKCS12(NULL, &position, length);
    EVP_PKEY *key = NULL;
    X509 *certificate = NULL;
    STACK_OF(X509) *others = NULL;
    long found = 0;
    if (archive && !PKCS12_verify_mac(archive, password, -1)) {
        found = -1;
    } else if (archive && PKCS12_parse(archive, password, &key, &certificate, &others) == 1 && key && certificate) {
        found = (long)append(chain, 0, capacity, certificate);
        for (int index = 0; index < sk_X509_num(others); index++)
            found = (long)append(chain, (size_t)found, capacity, sk_X509_value(others, index));
    }
    EVP_PKEY_free(key);
    X509_free(certificate);
    sk_X509_pop_free(others, X509_free);
    PKCS12_free(archive);
    ERR_clear_error();
    return found;
}

int as_public_key(const as_der *certificate, as_der *key) {
    X509 *parsed = parse(certificate->bytes, certificate->length);
    EVP_PKEY *public_key = parsed ? X509_get0_pubkey(parsed) : NULL;
    key->bytes = NULL;
    key->length = public_key ? i2d_PublicKey(public_key, &key->bytes) : 0;
    X509_free(parsed);
    ERR_clear_error();
    return key->length > 0;
}

void as_free(as_der *ders, size_t count) {
    for (size_t index = 0; index < count; index++) OPENSSL_free(ders[index].bytes);
}
