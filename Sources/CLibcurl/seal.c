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

static void seal(int fd) {
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
    seal(fd);
    return true;
}

void nc_seal_pair(int fd) {
    if (!is_open_unix_stream(fd)) return;
    seal(fd);
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

/// The bytes that wait in the end of the pair that libcurl reads: more than one, so that hardly a socket of the program has the same.
static const char wakeups[] = {1, 1, 1};

static bool seal_if_woken(int fd, void *context) {
    (void)context;
    int waiting = 0;
    if (!is_open_unix_stream(fd) || ioctl(fd, FIONREAD, &waiting) < 0 || waiting != sizeof wakeups) return false;
    char bytes[sizeof wakeups];
    if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK) != sizeof bytes) return false;
    if (!memcmp(bytes, wakeups, sizeof bytes)) nc_seal_pair(fd);
    return false;
}

void nc_seal_wakeup(nc_multi *multi) {
    if (!nc_curl.multi_wakeup) return;
    // They do no harm: this loop does not wait in `curl_multi_poll`.
    for (size_t index = 0; index < sizeof wakeups; index++)
        if (nc_curl.multi_wakeup(multi)) return;
    for_each_descriptor(seal_if_woken, NULL);
}
#endif
