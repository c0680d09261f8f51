// A few functions of the system's libcrypto (OpenSSL 3 or 1.1). All but the first want a successful `ns_crypto_load`.
#ifndef NS_CRYPTO_H
#define NS_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_NONCE_SIZE 12
#define NS_TAG_SIZE 16
#define NS_DIGEST_SIZE 64

/// Loads libcrypto once for the process. Thread safe. NULL if it is there, else why not.
const char *_Nullable ns_crypto_load(void);

/// AES-256-GCM: writes as many bytes as there are, then the tag. The key has 32 bytes, the nonce `NS_NONCE_SIZE`.
bool ns_seal(const uint8_t *_Nonnull key, const uint8_t *_Nonnull nonce, const uint8_t *_Nullable context, size_t context_size,
             const uint8_t *_Nullable plain, size_t size, uint8_t *_Nonnull sealed);
/// The reverse: `size` counts the tag. False if it is not what was sealed with that key, nonce and context.
bool ns_open(const uint8_t *_Nonnull key, const uint8_t *_Nonnull nonce, const uint8_t *_Nullable context, size_t context_size,
             const uint8_t *_Nonnull sealed, size_t size, uint8_t *_Nonnull plain);

/// The bytes of a digest, by OpenSSL's name of it ("MD5", "SHA512-256"); zero if this libcrypto has not got it, or may not use it.
size_t ns_digest(const char *_Nonnull name, const void *_Nullable bytes, size_t size, uint8_t *_Nonnull digest);

/// Signs with a private key in DER (PKCS#8, SEC1 or PKCS#1).
///
/// `digest` is NULL for keys that bring their own (Ed25519). Gives the size of the signature; zero if the key cannot be read, does
/// not fit, or the signature needs more than `capacity`.
size_t ns_sign(const char *_Nullable digest, const uint8_t *_Nonnull key, size_t key_size, const void *_Nullable bytes, size_t size,
               uint8_t *_Nonnull signature, size_t capacity);

#endif
