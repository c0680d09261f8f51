#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_connector.h"
#include "nc_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

// libcurl before 8.13 opens its socket pairs without SOCK_CLOEXEC, so child processes inherit them. This sets the flag afterwards.

static bool is_open_unix_stream(int fd) {
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || flags & FD_CLOEXEC) return false;
    int value = 0;
    socklen_t length = sizeof value;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &length) < 0 || value != AF_UNIX) return false;
    length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &length) == 0 && value == SOCK_STREAM;
}

void nc_seal(int fd) {
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && !(flags & FD_CLOEXEC)) fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
}

/// Calls a function with each open descriptor until it returns true.
static void for_each_descriptor(bool (*visit)(int fd, void *context), void *context) {
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        int fd = atoi(entry->d_name);
        if (fd != dirfd(folder) && visit(fd, context)) break;
    }
    closedir(folder);
}

struct name {
    struct sockaddr_un address;
    socklen_t length;
};

/// Seals a socket whose peer has the name.
static bool seal_if_peer(int fd, void *context) {
    const struct name *name = context;
    struct sockaddr_un peer;
    socklen_t length = sizeof peer;
    if (!is_open_unix_stream(fd) || getpeername(fd, (struct sockaddr *)&peer, &length) < 0) return false;
    if (length != name->length || memcmp(&peer, &name->address, length)) return false;
    nc_seal(fd);
    return true;
}

void nc_seal_pair(int fd) {
    if (!is_open_unix_stream(fd)) return;
    nc_seal(fd);
    // The system does not report which descriptor is the other end. So this end gets a name (an abstract one, which the system chooses), and
    // the other end is the one whose peer has that name.
    struct name name = {.address = {.sun_family = AF_UNIX}, .length = sizeof name.address};
    if (bind(fd, (struct sockaddr *)&name.address, sizeof(sa_family_t)) < 0) return;
    if (getsockname(fd, (struct sockaddr *)&name.address, &name.length) < 0) return;
    if (name.length <= sizeof(sa_family_t)) return;
    // Mostly they were opened one after the other.
    if (seal_if_peer(fd + 1, &name) || seal_if_peer(fd - 1, &name)) return;
    for_each_descriptor(seal_if_peer, &name);
}

/// `WAKEUP` is the byte that libcurl writes.
enum { WAKEUPS = 3, WAKEUP = 1, CANDIDATES = 64 };

struct candidates {
    int fds[CANDIDATES];
    int count;
};

static bool note_if_empty(int fd, void *context) {
    struct candidates *candidates = context;
    int waiting = 0;
    if (is_open_unix_stream(fd) && ioctl(fd, FIONREAD, &waiting) == 0 && waiting == 0)
        candidates->fds[candidates->count++] = fd;
    return candidates->count == CANDIDATES;
}

void nc_seal_wakeup(nc_multi *multi) {
    if (!nc_curl.multi_wakeup) return;
    struct candidates candidates = {.count = 0};
    for_each_descriptor(note_if_empty, &candidates);
    if (!candidates.count) return;
    // The end that receives this many bytes is libcurl's.
    for (int index = 0; index < WAKEUPS; index++)
        if (nc_curl.multi_wakeup(multi)) return;
    for (int index = 0; index < candidates.count; index++) {
        int fd = candidates.fds[index], waiting = 0;
        if (ioctl(fd, FIONREAD, &waiting) < 0 || waiting != WAKEUPS) continue;
        // Peeked, since it could be the program's own socket that received as many bytes just now. The bytes in libcurl's do no harm: this
        // loop does not wait in `curl_multi_poll`.
        char bytes[WAKEUPS];
        if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK) != WAKEUPS) continue;
        if (bytes[0] == WAKEUP && bytes[1] == WAKEUP && bytes[2] == WAKEUP) nc_seal_pair(fd);
    }
}
#else
typedef int nc_unused_seal;
#endif
