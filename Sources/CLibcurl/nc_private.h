// Shared by the files of this module.
#ifndef NC_PRIVATE_H
#define NC_PRIVATE_H

#include "include/nc_abi.h"
#include "include/nc_threads.h"

#include <stdbool.h>
#include <sys/socket.h>

// MARK: The functions of libcurl

struct nc_functions {
    int (*global_init)(long);
    char *(*version)(void);
    nc_easy *(*easy_init)(void);
    void (*easy_cleanup)(nc_easy *);
    const char *(*easy_strerror)(int);
    // Variadic like the real ones, which some processors call differently.
    int (*easy_setopt)(nc_easy *, int, ...);
    int (*easy_getinfo)(nc_easy *, int, ...);
    nc_slist *(*slist_append)(nc_slist *, const char *);
    void (*slist_free_all)(nc_slist *);
    nc_multi *(*multi_init)(void);
    int (*multi_cleanup)(nc_multi *);
    int (*multi_add_handle)(nc_multi *, nc_easy *);
    int (*multi_remove_handle)(nc_multi *, nc_easy *);
    nc_message *(*multi_info_read)(nc_multi *, int *);
    int (*multi_socket_action)(nc_multi *, int, int, int *);
    int (*multi_setopt)(nc_multi *, int, ...);
    nc_names *(*share_init)(void);
    int (*share_setopt)(nc_names *, int, ...);
    int (*share_cleanup)(nc_names *);
    // Since 7.68; NULL before.
    int (*multi_wakeup)(nc_multi *);
};

extern struct nc_functions nc_curl;

// MARK: Callbacks of libcurl

/// Not in `nc_abi.h`: Swift would import the constants of the system header a second time, with other types than Glibc's.
typedef struct nc_sockaddr {  // struct curl_sockaddr
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr addr;
} nc_sockaddr;

// MARK: Descriptors that libcurl opens for itself

/// Sets the flag of close-on-exec.
void nc_seal(int fd);
/// Sets the flag of the pair by which `curl_multi_wakeup` wakes.
void nc_seal_wakeup(nc_multi *multi);

#endif
