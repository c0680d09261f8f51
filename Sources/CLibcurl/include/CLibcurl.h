// What NetTransport needs of C on Linux: libcurl, OpenSSL and libnghttp2, which are loaded at run time and declared here, so that
// building needs neither their headers nor `-l` flags; and the waiting of loops. On other systems this module is empty.
#ifndef CLIBCURL_H
#define CLIBCURL_H

#if defined(__linux__)
#include "nc_connector.h"
#include "nc_curl.h"
#include "nc_h2.h"
#include "nc_threads.h"
#include "nc_tls.h"
#endif

#endif
