// What libcurl calls during a transfer. Private to this module.
#ifndef NC_CALLBACKS_H
#define NC_CALLBACKS_H

#include "include/nc_abi.h"
#include "nc_sockaddr.h"

struct nc_transfer;

size_t nc_on_write(char *bytes, size_t size, size_t count, void *transfer);
size_t nc_on_header(char *bytes, size_t size, size_t count, void *transfer);
size_t nc_on_read(char *buffer, size_t size, size_t count, void *transfer);
int nc_on_seek(void *transfer, int64_t offset, int origin);
int nc_on_open(void *transfer, int purpose, nc_sockaddr *address);
int nc_on_close(void *loop, int fd);
int nc_on_tls(nc_easy *easy, void *context, void *transfer);
int nc_on_ready(void *transfer, char *remote, char *local, int remote_port, int local_port);
/// Whether HTTP/2 was chosen for the connection of a transfer.
int nc_speaks_http2(const struct nc_transfer *transfer);
/// Finds that out for a new connection that could, and keeps libcurl from using it.
void nc_choose_version(struct nc_transfer *transfer);

#endif
