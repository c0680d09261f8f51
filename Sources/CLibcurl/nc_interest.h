// Which descriptors are watched, and for what. Private to this module.
#ifndef NC_INTEREST_H
#define NC_INTEREST_H

#include "include/nc_loop.h"

#include <stdbool.h>

/// What libcurl wants to know of a descriptor (`NC_POLL_…`). -1 with errno if it cannot be watched.
int nc_interest_set(nc_loop *loop, int fd, int what);
/// The same for a descriptor that libcurl leaves to us, with 0 for nothing.
int nc_interest_watch(nc_loop *loop, int fd, int what);
/// Whether that is such a descriptor.
bool nc_interest_is_direct(const nc_loop *loop, int fd);
/// A socket that libcurl opened through us, so that its end is known too.
void nc_interest_opened(nc_loop *loop, int fd);
void nc_interest_closed(nc_loop *loop, int fd);
/// The transfer for which libcurl waits for it; NULL for none.
void nc_interest_link(nc_loop *loop, int fd, nc_transfer *transfer);
void nc_interest_unlink(nc_loop *loop, nc_transfer *transfer);
/// Bytes have come. libcurl tells of a header line when it is whole; one that comes slowly is no idle connection.
void nc_interest_arrived(nc_loop *loop, int fd);
/// Whether libcurl made it by itself, and shows it for the first time.
bool nc_interest_is_foreign(const nc_loop *loop, int fd);
/// Whether libcurl waits for it. One that it does not wait for, but which became ready (the peer closed an idle
/// connection), is not watched any longer.
bool nc_interest_is_wanted(nc_loop *loop, int fd);

#endif
