// The kernel's keyring (keyrings(7)): glibc has no functions for it.
#ifndef NS_KEYRING_H
#define NS_KEYRING_H

#include <stddef.h>
#include <stdint.h>

#define NS_SESSION_KEYRING -3
#define NS_USER_KEYRING -4

// All functions return a negative `errno` on failure.

/// Adds a key of the type "user", or replaces the payload of the one with that description. Returns its number.
int64_t ns_key_add(int32_t keyring, const char *_Nonnull description, const void *_Nonnull payload, size_t size);
/// The number of the key with that description.
int64_t ns_key_find(int32_t keyring, const char *_Nonnull description);
/// Returns the size of the payload, and writes at most `capacity` bytes of it. The payload of a keyring is the numbers of its keys.
int64_t ns_key_read(int32_t key, void *_Nullable buffer, size_t capacity);
/// Writes "type;uid;gid;permissions;description" and a NUL. Returns their size.
int64_t ns_key_describe(int32_t key, char *_Nullable buffer, size_t capacity);
/// Removes a key from a keyring.
int64_t ns_key_unlink(int32_t key, int32_t keyring);

#endif
