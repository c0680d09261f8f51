// libcurl for NetTransport on Linux. It is loaded at run time and declared here, so that building needs neither curl's headers nor `-lcurl`. On
// other systems this module is empty.
#ifndef CLIBCURL_H
#define CLIBCURL_H

#if defined(__linux__)
#include "CNGHTTP2.h"
#include "nc_abi.h"
#include "nc_coding.h"
#include "nc_connector.h"
#include "nc_loader.h"
#include "nc_mailbox.h"
#include "nc_request.h"
#include "nc_tls.h"
#include "nc_transfer.h"
#include "nc_loop.h"
#include "nc_http2.h"
#include "nc_poll.h"
#endif

#endif
