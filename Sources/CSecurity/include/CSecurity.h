// libcrypto, loaded at run time and declared here, so that building needs neither OpenSSL's headers nor `-lcrypto`, for NetSecurity on
// Linux. On other systems this module is empty.
#ifndef CSECURITY_H
#define CSECURITY_H

#if defined(__linux__)
#include "ns_crypto.h"
#endif

#endif
