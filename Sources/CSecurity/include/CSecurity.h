// What NetSecurity needs of the system on Linux: libcrypto, loaded at run time and declared by ourselves, so that building needs
// neither OpenSSL's headers nor `-lcrypto`, and the kernel's keyring. On other systems this module is empty.
#ifndef CSECURITY_H
#define CSECURITY_H

#if defined(__linux__)
#include "ns_crypto.h"
#include "ns_keyring.h"
#endif

#endif
