// Which of the certificates that a server sent prove anything. By the system's libcrypto, found at run time.
#ifndef NC_CHAIN_H
#define NC_CHAIN_H

#include <stddef.h>

/// Looks whether the first certificate (the server's own) is valid with the one at `anchor` as the only authority that is
/// trusted, and the others at hand to lead there: signatures, names, dates, constraints and use, as for a server (RFC 5280).
///
/// 1 if so, 0 if not, -1 if no libcrypto can be loaded.
int nc_proves(
    const void *_Nonnull const *_Nonnull certificates, const long *_Nonnull lengths, size_t count, size_t anchor);

#endif
