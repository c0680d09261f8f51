#if defined(__linux__)
#include "include/ns_keyring.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

// linux/keyctl.h, which not every system has installed.
enum { describe = 6, unlink_key = 9, search = 10, read_key = 11 };

static int64_t result(long value) { return value < 0 ? -(int64_t)errno : value; }

int64_t ns_key_add(int32_t keyring, const char *description, const void *payload, size_t size) {
    return result(syscall(SYS_add_key, "user", description, payload, size, keyring));
}

int64_t ns_key_find(int32_t keyring, const char *description) {
    return result(syscall(SYS_keyctl, search, keyring, "user", description, 0));
}

int64_t ns_key_read(int32_t key, void *buffer, size_t capacity) {
    return result(syscall(SYS_keyctl, read_key, key, buffer, capacity));
}

int64_t ns_key_describe(int32_t key, char *buffer, size_t capacity) {
    return result(syscall(SYS_keyctl, describe, key, buffer, capacity));
}

int64_t ns_key_unlink(int32_t key, int32_t keyring) { return result(syscall(SYS_keyctl, unlink_key, key, keyring)); }
#else
// Strict compilers require a declaration in each translation unit.
typedef int ns_unused_keyring;
#endif
