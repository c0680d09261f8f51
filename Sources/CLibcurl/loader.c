#if defined(__linux__)
// Loads libcurl, and what HTTP/2 needs besides: libnghttp2, and ALPN of the libssl that libcurl uses.
#include "include/nc_loader.h"

#include "include/nc_http2.h"
#include "include/nc_mailbox.h"
#include "nc_nghttp2.h"
#include "nc_private.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct nc_functions nc_curl;
struct nc_h2_functions nc_h2_lib;
struct nc_ssl_functions nc_ssl_lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static bool is_loaded;
static char http2_problem[256] = "libcurl is not loaded.";

static bool find_http2(void *library) {
    const void *(*version)(int least);
    const cl_symbol first[] = {{"version", &version}};
    static const cl_symbol symbols[] = {
        CL_SYMBOL(nc_h2_lib, session_callbacks_new), CL_SYMBOL(nc_h2_lib, session_callbacks_del),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_frame_recv_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_frame_send_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_frame_not_send_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_invalid_frame_recv_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_data_chunk_recv_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_stream_close_callback),
        CL_SYMBOL(nc_h2_lib, session_callbacks_set_on_header_callback), CL_SYMBOL(nc_h2_lib, option_new),
        CL_SYMBOL(nc_h2_lib, option_del), CL_SYMBOL(nc_h2_lib, option_set_no_auto_window_update),
        CL_SYMBOL(nc_h2_lib, session_client_new2), CL_SYMBOL(nc_h2_lib, session_del),
        CL_SYMBOL(nc_h2_lib, session_mem_recv), CL_SYMBOL(nc_h2_lib, session_mem_send),
        CL_SYMBOL(nc_h2_lib, session_want_read), CL_SYMBOL(nc_h2_lib, session_want_write),
        CL_SYMBOL(nc_h2_lib, session_consume_connection), CL_SYMBOL(nc_h2_lib, session_consume_stream),
        CL_SYMBOL(nc_h2_lib, session_set_local_window_size),
        CL_SYMBOL(nc_h2_lib, session_get_stream_local_window_size),
        CL_SYMBOL(nc_h2_lib, session_get_stream_user_data), CL_SYMBOL(nc_h2_lib, session_set_stream_user_data),
        CL_SYMBOL(nc_h2_lib, session_get_remote_settings), CL_SYMBOL(nc_h2_lib, session_terminate_session),
        CL_SYMBOL(nc_h2_lib, session_resume_data), CL_SYMBOL(nc_h2_lib, submit_request),
        CL_SYMBOL(nc_h2_lib, submit_rst_stream), CL_SYMBOL(nc_h2_lib, submit_settings),
        CL_SYMBOL(nc_h2_lib, strerror),
    };
    // Before 1.33, the user data of a stream could not be changed while its request waited to be sent.
    if (cl_find(library, "nghttp2_", first, 1) || !version(0x012100)) return false;
    if (cl_find(library, "nghttp2_", symbols, CL_COUNT(symbols))) return false;
    static const cl_symbol optional[] = {
        CL_SYMBOL(nc_h2_lib, option_set_max_continuations), CL_SYMBOL(nc_h2_lib, option_set_max_send_header_block_length)};
    for (size_t index = 0; index < CL_COUNT(optional); index++) cl_find(library, "nghttp2_", &optional[index], 1);
    return true;
}

/// If the process initialised OpenSSL before this module was loaded, OpenSSL frees its data at exit: see `cl_open`. The loops stop then.
static void stop_before_openssl(void *libcurl) {
    int (*at_exit)(void (*handler)(void));
    const cl_symbol symbol = {"OPENSSL_atexit", &at_exit};
    if (!cl_find(libcurl, "", &symbol, 1)) at_exit(nc_threads_park);
}

/// Finds the functions that tell what a handshake agreed on. Without them, responses do not tell it.
static void find_tls_facts(void *libcurl) {
    static const cl_symbol symbols[] = {
        {"SSL_get0_alpn_selected", &nc_ssl_lib.get0_alpn_selected},
        {"SSL_get_version", &nc_ssl_lib.get_version},
        {"SSL_get_current_cipher", &nc_ssl_lib.get_current_cipher},
        {"SSL_CIPHER_standard_name", &nc_ssl_lib.cipher_standard_name},
        {"SSL_get_peer_cert_chain", &nc_ssl_lib.get_peer_cert_chain},
        {"OPENSSL_sk_num", &nc_ssl_lib.sk_num},
        {"OPENSSL_sk_value", &nc_ssl_lib.sk_value},
        {"i2d_X509", &nc_ssl_lib.i2d_X509},
    };
    static const cl_symbol optional = {"SSL_get0_peer_certificate", &nc_ssl_lib.get0_peer_certificate};
    if (cl_find(libcurl, "", symbols, CL_COUNT(symbols))) nc_ssl_lib.get_version = NULL;
    cl_find(libcurl, "", &optional, 1);
}

static void load_http2(void *libcurl, const char *version) {
    static const cl_symbol ssl[] = {
        {"SSL_CTX_set_alpn_protos", &nc_ssl_lib.set_alpn_protos},
        {"SSL_get0_alpn_selected", &nc_ssl_lib.get0_alpn_selected},
    };
    static const char *const names[] = {"libnghttp2.so.14"};
    http2_problem[0] = 0;
    int major = 0, minor = 0;
    const char *own = strstr(version, "libcurl/");
    // Since 7.80 there is a callback between the handshake and the request: `CURLOPT_PREREQFUNCTION`.
    if (!own || sscanf(own, "libcurl/%d.%d", &major, &minor) != 2 || major < 7 || (major == 7 && minor < 80)) {
        snprintf(http2_problem, sizeof http2_problem, "HTTP/2 needs libcurl 7.80 or later; this one is %.120s.", version);
        return;
    }
    if (!strstr(version, "OpenSSL/")) {
        snprintf(http2_problem, sizeof http2_problem, "HTTP/2 needs a libcurl on OpenSSL; this one is %.120s.", version);
        return;
    }
    // In libcurl's own dependencies, since another libssl has other structures. A libssl that is linked into libcurl is not visible.
    if (cl_find(libcurl, "", ssl, CL_COUNT(ssl))) {
        snprintf(http2_problem, sizeof http2_problem, "HTTP/2 needs a libcurl that loads libssl; in this one it is built in.");
        return;
    }
    // libcurl's own libnghttp2, if it has one, else the system's.
    if (find_http2(libcurl)) return;
    void *library = cl_open(names, CL_COUNT(names), false, NULL, 0);
    if (library && find_http2(library)) return;
    snprintf(
        http2_problem, sizeof http2_problem, "HTTP/2 needs libnghttp2.so.14, 1.33 or later. Install libnghttp2-14.");
}

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static const cl_symbol symbols[] = {
        CL_SYMBOL(nc_curl, global_init), CL_SYMBOL(nc_curl, version), CL_SYMBOL(nc_curl, version_info),
        CL_SYMBOL(nc_curl, easy_init),
        CL_SYMBOL(nc_curl, easy_cleanup), CL_SYMBOL(nc_curl, easy_reset), CL_SYMBOL(nc_curl, easy_pause),
        CL_SYMBOL(nc_curl, easy_send), CL_SYMBOL(nc_curl, easy_recv), CL_SYMBOL(nc_curl, easy_strerror),
        CL_SYMBOL(nc_curl, easy_setopt), CL_SYMBOL(nc_curl, easy_getinfo), CL_SYMBOL(nc_curl, slist_append),
        CL_SYMBOL(nc_curl, slist_free_all), CL_SYMBOL(nc_curl, multi_init), CL_SYMBOL(nc_curl, multi_cleanup),
        CL_SYMBOL(nc_curl, multi_add_handle), CL_SYMBOL(nc_curl, multi_remove_handle),
        CL_SYMBOL(nc_curl, multi_info_read), CL_SYMBOL(nc_curl, multi_socket_action),
        CL_SYMBOL(nc_curl, multi_setopt),
    };
    static const cl_symbol optional[] = {CL_SYMBOL(nc_curl, multi_wakeup)};
    void *library = cl_open(names, CL_COUNT(names), false, problem, sizeof problem);
    if (!library) return;
    const char *missing = cl_find(library, "curl_", symbols, CL_COUNT(symbols));
    if (missing) {
        snprintf(problem, sizeof problem, "libcurl has no curl_%s", missing);
        return;
    }
    cl_find(library, "curl_", optional, CL_COUNT(optional));
    int result = nc_curl.global_init(NC_GLOBAL_ALL);
    if (result) {
        snprintf(problem, sizeof problem, "curl_global_init: %s", nc_curl.easy_strerror(result));
        return;
    }
    stop_before_openssl(library);
    find_tls_facts(library);
    load_http2(library, nc_curl.version());
    is_loaded = true;
}

const char *nc_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}

const char *nc_version(void) { return nc_curl.version(); }

int nc_has_http3(void) {
    const nc_version_info *info = nc_curl.version_info(NC_VERSION_NOW);
    return info->version_num >= 0x080800 && info->features & NC_VERSION_HTTP3;
}

const char *nc_http2_problem(void) { return http2_problem[0] ? http2_problem : NULL; }

// MARK: libcurl's functions for Swift, which cannot call variadic ones

const char *nc_option_name(nc_option option) {
    switch (option) {
#define X(name, value) \
    case NC_OPT_##name: return "CURLOPT_" #name;
        NC_OPTIONS(X)
#undef X
    }
    return "an unknown option";
}

int nc_set_long(nc_easy *easy, nc_option option, long value) { return nc_curl.easy_setopt(easy, (int)option, value); }

int nc_set_pointer(nc_easy *easy, nc_option option, const void *value) {
    return nc_curl.easy_setopt(easy, (int)option, value);
}

int nc_set_offset(nc_easy *easy, nc_option option, int64_t value) {
    return nc_curl.easy_setopt(easy, (int)option, value);
}

int nc_set_blob(nc_easy *easy, nc_option option, const void *bytes, size_t count) {
    nc_blob blob = {.data = (void *)bytes, .len = count, .flags = 0};
    return nc_curl.easy_setopt(easy, (int)option, &blob);
}

long nc_info_long(nc_easy *easy, nc_info info) {
    long value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

int64_t nc_info_offset(nc_easy *easy, nc_info info) {
    int64_t value = 0;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? 0 : value;
}

const char *nc_info_string(nc_easy *easy, nc_info info) {
    const char *value = NULL;
    return nc_curl.easy_getinfo(easy, (int)info, &value) ? NULL : value;
}

const nc_certinfo *nc_info_certificates(nc_easy *easy) {
    const nc_certinfo *value = NULL;
    return nc_curl.easy_getinfo(easy, NC_INFO_CERTINFO, &value) ? NULL : value;
}

int nc_info_socket(nc_easy *easy) {
    int socket = -1;
    return nc_curl.easy_getinfo(easy, NC_INFO_ACTIVESOCKET, &socket) ? -1 : socket;
}

int nc_send(nc_easy *easy, const void *bytes, size_t count, size_t *sent) {
    *sent = 0;
    return nc_curl.easy_send(easy, bytes, count, sent);
}

int nc_receive(nc_easy *easy, void *buffer, size_t capacity, size_t *received) {
    *received = 0;
    return nc_curl.easy_recv(easy, buffer, capacity, received);
}

const char *nc_error_text(int result) { return nc_curl.easy_strerror(result); }

void nc_list_free(nc_slist *list) {
    if (list) nc_curl.slist_free_all(list);
}

nc_slist *nc_list_append(nc_slist *list, const char *text) { return nc_curl.slist_append(list, text); }
#else
// Strict compilers require a declaration in each translation unit.
typedef int nc_unused_loader;
#endif
