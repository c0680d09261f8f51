// A few functions of the system's libcrypto (OpenSSL 3 or 1.1), loaded at run time and declared here, so that building needs neither OpenSSL's
// headers nor `-lcrypto`, for NetSecurity on Linux. All but the first require a successful `ns_crypto_load`. On other systems this module is empty.
#ifndef CSECURITY_H
#define CSECURITY_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_NONCE_SIZE 12
#define NS_TAG_SIZE 16
#define NS_DIGEST_SIZE 64

/// Loads libcrypto once for the process. Thread safe. Returns NULL, or why it cannot be loaded.
const char *_Nullable ns_crypto_load(void);

/// AES-256-GCM: writes `size` bytes, then the tag. The key has 32 bytes, the nonce `NS_NONCE_SIZE`.
bool ns_seal(const uint8_t *_Nonnull key, const uint8_t *_Nonnull nonce, const uint8_t *_Nullable context, size_t context_size,
             const uint8_t *_Nullable plain, size_t size, uint8_t *_Nonnull sealed);
/// The reverse; `size` includes the tag. Returns false if the bytes were not sealed with that key, nonce and context.
bool ns_open(const uint8_t *_Nonnull key, const uint8_t *_Nonnull nonce, const uint8_t *_Nullable context, size_t context_size,
             const uint8_t *_Nonnull sealed, size_t size, uint8_t *_Nonnull plain);

/// Writes a digest, by OpenSSL's name ("MD5", "SHA512-256"). Returns its size, or 0 if this libcrypto lacks it or may not use it.
size_t ns_digest(const char *_Nonnull name, const void *_Nullable bytes, size_t size, uint8_t *_Nonnull digest);

/// Signs with a private key in DER (PKCS#8, SEC1 or PKCS#1).
///
/// `digest` is NULL for keys that have their own (Ed25519). Returns the size of the signature, or 0 if the key cannot be read or does not
/// fit the digest, or if the signature needs more than `capacity`.
size_t ns_sign(const char *_Nullable digest, const uint8_t *_Nonnull key, size_t key_size, const void *_Nullable bytes, size_t size,
               uint8_t *_Nonnull signature, size_t capacity);
#endif

#endif
