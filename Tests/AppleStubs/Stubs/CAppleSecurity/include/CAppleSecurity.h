#pragma once
#include <stddef.h>

/// A certificate in DER. Those that a function gives are freed with as_free.
typedef struct {
    unsigned char *bytes;
    long length;
} as_der;

/// Whether these bytes are one certificate.
int as_is_certificate(const unsigned char *bytes, long length);

/// Looks for a chain from the first of `presented` to an anchor, and asks whether the first names `host` (a name or an IP address; nothing if it is empty).
///
/// `system_anchors` says whether the system's authorities count beside `anchors`. Gives the number of certificates put into `chain`, or 0
/// and OpenSSL's code (X509_V_ERR_…).
size_t as_evaluate(
    const as_der *presented, size_t count, const as_der *anchors, size_t anchor_count, int system_anchors, const char *host,
    as_der *chain, size_t capacity, int *code);

/// What OpenSSL says of such a code.
const char *as_text(int code);

/// The certificates of a PKCS#12 archive that holds a key, the key's own first. Gives 0 if it cannot be read, -1 for a wrong password.
long as_open_archive(const unsigned char *bytes, long length, const char *password, as_der *chain, size_t capacity);

/// The public key of a certificate: PKCS #1 for RSA, X9.63 for elliptic curves. Gives 1 if there is one.
int as_public_key(const as_der *certificate, as_der *key);

void as_free(as_der *ders, size_t count);
