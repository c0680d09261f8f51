// The kernel's keyring (keyrings(7)): glibc has no functions for it.
#ifndef NS_KEYRING_H
#define NS_KEYRING_H

#include <stddef.h>
#include <stdint.h>

#define NS_SESSION_KEYRING -3
#define NS_USER_KEYRING -4

/// All of them give a negative `errno` on failure.

/// Adds a key of the type "user", or replaces the payload of the one with that description. Gives its number.
int64_t ns_key_add(int32_t keyring, const char *_Nonnull description, const void *_Nonnull payload, size_t size);
/// The number of the key with that description.
int64_t ns_key_find(int32_t keyring, const char *_Nonnull description);
/// The size of the payload, of which no more than `capacity` bytes are written. Of a keyring, the payload is its keys' numbers.
int64_t ns_key_read(int32_t key, void *_Nullable buffer, size_t capacity);
/// The size of "type;uid;gid;permissions;description" and a NUL.
int64_t ns_key_describe(int32_t key, char *_Nullable buffer, size_t capacity);
/// Takes a key out of a keyring.
int64_t ns_key_unlink(int32_t key, int32_t keyring);

#endif
