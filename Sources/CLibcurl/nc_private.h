// Shared by the files of this module.
#ifndef NC_PRIVATE_H
#define NC_PRIVATE_H

#include "include/nc_curl.h"
#include "include/nc_threads.h"

#include <stdbool.h>
#include <sys/socket.h>

struct epoll_event;
/// Calls `epoll_wait`, at most until a time of `nc_clock`.
int nc_wait(int epoll, struct epoll_event *events, int capacity, int64_t until);

// MARK: The functions of libcurl

/// Without their prefix `curl_`. Variadic like the real ones, which some processors call differently. The last is missing before 7.68.
#define NC_CURL_FUNCTIONS(X, OPTIONAL)                                                                                 \
    X(int, global_init, (long))                                                                                        \
    X(char *, version, (void))                                                                                         \
    X(nc_easy *, easy_init, (void))                                                                                    \
    X(void, easy_cleanup, (nc_easy *))                                                                                 \
    X(const char *, easy_strerror, (int))                                                                              \
    X(int, easy_setopt, (nc_easy *, int, ...))                                                                         \
    X(int, easy_getinfo, (nc_easy *, int, ...))                                                                        \
    X(nc_slist *, slist_append, (nc_slist *, const char *))                                                            \
    X(void, slist_free_all, (nc_slist *))                                                                              \
    X(nc_multi *, multi_init, (void))                                                                                  \
    X(int, multi_cleanup, (nc_multi *))                                                                                \
    X(int, multi_add_handle, (nc_multi *, nc_easy *))                                                                  \
    X(int, multi_remove_handle, (nc_multi *, nc_easy *))                                                               \
    X(nc_message *, multi_info_read, (nc_multi *, int *))                                                              \
    X(int, multi_socket_action, (nc_multi *, int, int, int *))                                                         \
    X(int, multi_setopt, (nc_multi *, int, ...))                                                                       \
    X(nc_names *, share_init, (void))                                                                                  \
    X(int, share_setopt, (nc_names *, int, ...))                                                                       \
    X(int, share_cleanup, (nc_names *))                                                                                \
    OPTIONAL(int, multi_wakeup, (nc_multi *))

/// A field of a struct of function pointers.
#define NC_SLOT(type, name, parameters) type(*name) parameters;

struct nc_functions {
    NC_CURL_FUNCTIONS(NC_SLOT, NC_SLOT)
};

extern struct nc_functions nc_curl;

// MARK: Callbacks of libcurl

/// Not in `nc_curl.h`: Swift would import the constants of the system header a second time, with other types than Glibc's.
typedef struct nc_sockaddr {  // struct curl_sockaddr
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr addr;
} nc_sockaddr;

// MARK: Descriptors that libcurl opens for itself

/// Makes the pair by which `curl_multi_wakeup` wakes close-on-exec.
void nc_seal_wakeup(nc_multi *multi);

#endif
