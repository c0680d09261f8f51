// Shared by the files of this module.
#ifndef NC_PRIVATE_H
#define NC_PRIVATE_H

#include "include/nc_loop.h"

#include <stdbool.h>
#include <sys/socket.h>

// MARK: The functions of libcurl

struct nc_functions {
    int (*global_init)(long);
    char *(*version)(void);
    const nc_version_info *(*version_info)(int);
    nc_easy *(*easy_init)(void);
    void (*easy_cleanup)(nc_easy *);
    void (*easy_reset)(nc_easy *);
    int (*easy_pause)(nc_easy *, int);
    int (*easy_send)(nc_easy *, const void *, size_t, size_t *);
    int (*easy_recv)(nc_easy *, void *, size_t, size_t *);
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

size_t nc_on_write(char *bytes, size_t size, size_t count, void *transfer);
size_t nc_on_header(char *bytes, size_t size, size_t count, void *transfer);
size_t nc_on_read(char *buffer, size_t size, size_t count, void *transfer);
int nc_on_seek(void *transfer, int64_t offset, int origin);
int nc_on_open(void *transfer, int purpose, nc_sockaddr *address);
int nc_on_close(void *loop, int fd);
/// Called when a connection needs a look-up that the loop's resolver makes. Ends the transfer.
int nc_on_look_up(void *resolver, void *reserved, void *transfer);
int nc_on_tls(nc_easy *easy, void *context, void *transfer);
int nc_on_ready(void *transfer, char *remote, char *local, int remote_port, int local_port);

// MARK: Connections

/// Finds the connection that a request is about to be sent on, or notes it if it is new: then `fd` is its descriptor, else -1.
void nc_connection_note(
    nc_transfer *transfer, const char *local, int local_port, const char *remote, int remote_port, int fd);
/// Has the transfer keep a connection, or none.
void nc_connection_take(nc_transfer *transfer, nc_connection *connection);
void nc_connection_leave(nc_transfer *transfer);
void nc_connection_closed(nc_loop *loop, int fd);

// Called only for a transfer with `tells_steps`.

void nc_step_opening(nc_transfer *transfer, const nc_sockaddr *address);
void nc_step_connected(nc_transfer *transfer);
/// The handshakes are complete.
void nc_step_ready(nc_transfer *transfer);
/// libcurl has nothing to send at the moment.
void nc_step_sent(nc_transfer *transfer);
void nc_step_answered(nc_transfer *transfer);

// MARK: Which descriptors are watched, and for what

/// Sets the events that libcurl waits for (`NC_POLL_…`). Returns -1, with errno, if the descriptor cannot be watched.
int nc_interest_set(nc_loop *loop, int fd, int what);
/// The same for a direct descriptor, which is watched in libcurl's place; 0 for no event.
int nc_interest_watch(nc_loop *loop, int fd, int what);
/// Whether the descriptor is direct.
bool nc_interest_is_direct(const nc_loop *loop, int fd);
/// Notes a socket that `nc_on_open` opened, so that `nc_on_close` will close it.
void nc_interest_opened(nc_loop *loop, int fd);
void nc_interest_closed(nc_loop *loop, int fd);
/// Sets the transfer for which libcurl waits; NULL for none.
void nc_interest_link(nc_loop *loop, int fd, nc_transfer *transfer);
void nc_interest_unlink(nc_loop *loop, nc_transfer *transfer);
/// Notes that bytes were received. libcurl only reports complete header lines, and a slow line is not an idle connection.
void nc_interest_arrived(nc_loop *loop, int fd);
/// Whether libcurl opened the descriptor by itself, and it is new.
bool nc_interest_is_foreign(const nc_loop *loop, int fd);
/// Whether libcurl waits for the descriptor. If not, stops watching it: the peer has closed an idle connection.
bool nc_interest_is_wanted(nc_loop *loop, int fd);

// MARK: Waiting

struct epoll_event;
/// Waits as `nc_poll_wait` does. OpenSSL may be shut down meanwhile.
int nc_wait(int epoll, struct epoll_event *events, int capacity, int64_t until);

#endif
