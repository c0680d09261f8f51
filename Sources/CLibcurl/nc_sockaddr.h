// The one struct of libcurl's interface that needs a system header. Kept from Swift, which would import that header's
// constants a second time, with other types than Glibc's.
#ifndef NC_SOCKADDR_H
#define NC_SOCKADDR_H

#include <sys/socket.h>

typedef struct nc_sockaddr {  // struct curl_sockaddr
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr addr;
} nc_sockaddr;

#endif
