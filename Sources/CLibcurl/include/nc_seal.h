// Keeps libcurl's own descriptors from child processes.
#ifndef NC_SEAL_H
#define NC_SEAL_H

#include "nc_abi.h"

/// Sets `FD_CLOEXEC` on both ends of a pair of connected Unix sockets that libcurl made, given one of them. Does nothing to another
/// descriptor, or to one that has the flag.
void nc_seal_pair(int fd);
/// The same for the pair that wakes a multi handle, which libcurl does not expose.
void nc_seal_wakeup(nc_multi *_Nonnull multi);

#endif
