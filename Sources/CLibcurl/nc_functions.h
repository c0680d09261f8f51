// The functions of libcurl, as they were found. Private to this module.
#ifndef NC_FUNCTIONS_H
#define NC_FUNCTIONS_H

#include "include/nc_abi.h"

struct nc_functions {
    int (*global_init)(long);
    char *(*version)(void);
    nc_easy *(*easy_init)(void);
    void (*easy_cleanup)(nc_easy *);
    void (*easy_reset)(nc_easy *);
    int (*easy_pause)(nc_easy *, int);
    int (*easy_send)(nc_easy *, const void *, size_t, size_t *);
    int (*easy_recv)(nc_easy *, void *, size_t, size_t *);
    const char *(*easy_strerror)(int);
    // Variadic like the real ones: on some processors those are called differently.
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
    // Since 7.68; NULL before.
    int (*multi_wakeup)(nc_multi *);
};

extern struct nc_functions nc_curl;

#endif
