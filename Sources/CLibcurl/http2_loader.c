#if defined(__linux__)
// What HTTP/2 needs beside libcurl, found at run time: libnghttp2, which speaks it, and ALPN of the libssl that libcurl uses, which
// chooses it.
#define _GNU_SOURCE
#include "include/nc_http2.h"
#include "nc_nghttp2.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct nc_h2_functions nc_h2_lib;
struct nc_ssl_functions nc_ssl_lib;

static char problem[256] = "libcurl is not loaded.";

static bool find(void *library, const char *prefix, const char *name, void *slot) {
    char symbol[80];
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void *function = dlsym(library, symbol);
    if (!function) return false;
    *(void **)slot = function;
    return true;
}

static bool find_ssl(void *libcurl) {
    // Of libcurl's own dependencies: another libssl would not know its structures. One that is linked into libcurl is not seen.
    return find(libcurl, "", "SSL_CTX_set_alpn_protos", &nc_ssl_lib.set_alpn_protos)
        && find(libcurl, "", "SSL_get0_alpn_selected", &nc_ssl_lib.get0_alpn_selected);
}

static bool find_http2(void *library) {
#define FIND(name) \
    if (!find(library, "nghttp2_", #name, &nc_h2_lib.name)) return false
    // Before, the owner of a stream could not be changed while its request waited to be sent.
    const void *(*version)(int least);
    if (!find(library, "nghttp2_", "version", &version) || !version(0x012100)) return false;
    FIND(session_callbacks_new);
    FIND(session_callbacks_del);
    FIND(session_callbacks_set_on_frame_recv_callback);
    FIND(session_callbacks_set_on_frame_send_callback);
    FIND(session_callbacks_set_on_frame_not_send_callback);
    FIND(session_callbacks_set_on_invalid_frame_recv_callback);
    FIND(session_callbacks_set_on_data_chunk_recv_callback);
    FIND(session_callbacks_set_on_stream_close_callback);
    FIND(session_callbacks_set_on_header_callback);
    FIND(option_new);
    FIND(option_del);
    FIND(option_set_no_auto_window_update);
    FIND(session_client_new2);
    FIND(session_del);
    FIND(session_mem_recv);
    FIND(session_mem_send);
    FIND(session_want_read);
    FIND(session_want_write);
    FIND(session_consume_connection);
    FIND(session_consume_stream);
    FIND(session_set_local_window_size);
    FIND(session_get_stream_local_window_size);
    FIND(session_get_stream_user_data);
    FIND(session_set_stream_user_data);
    FIND(session_get_remote_settings);
    FIND(session_terminate_session);
    FIND(session_resume_data);
    FIND(submit_request);
    FIND(submit_rst_stream);
    FIND(submit_settings);
    FIND(strerror);
#undef FIND
    find(library, "nghttp2_", "option_set_max_continuations", &nc_h2_lib.option_set_max_continuations);
    find(
        library, "nghttp2_", "option_set_max_send_header_block_length",
        &nc_h2_lib.option_set_max_send_header_block_length);
    return true;
}

void nc_http2_load(void *libcurl, const char *version) {
    problem[0] = 0;
    int major = 0, minor = 0;
    const char *own = strstr(version, "libcurl/");
    // Before, there is no callback between the handshake and the request: `CURLOPT_PREREQFUNCTION`.
    if (!own || sscanf(own, "libcurl/%d.%d", &major, &minor) != 2 || major < 7 || (major == 7 && minor < 80)) {
        snprintf(problem, sizeof problem, "HTTP/2 needs libcurl 7.80 or later; this one is %.120s.", version);
        return;
    }
    if (!strstr(version, "OpenSSL/")) {
        snprintf(problem, sizeof problem, "HTTP/2 needs a libcurl on OpenSSL; this one is %.120s.", version);
        return;
    }
    if (!find_ssl(libcurl)) {
        snprintf(problem, sizeof problem, "HTTP/2 needs a libcurl that loads libssl; in this one it is built in.");
        return;
    }
    // libcurl's own, if it has one, else the system's.
    if (find_http2(libcurl)) return;
    void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (library && find_http2(library)) return;
    snprintf(problem, sizeof problem, "HTTP/2 needs libnghttp2.so.14, 1.33 or later. Install libnghttp2-14.");
}

const char *nc_http2_problem(void) { return problem[0] ? problem : NULL; }
#else
typedef int nc_unused_http2_loader;
#endif
