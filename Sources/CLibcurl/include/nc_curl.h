// The part of libcurl's binary interface that is used here, stable since soname 4 (2006), and functions of it for Swift.
// `Scripts/check-curl-abi` compares every number and every struct with the real curl/curl.h.
#ifndef NC_CURL_H
#define NC_CURL_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct nc_easy nc_easy;    // CURL
typedef struct nc_multi nc_multi;  // CURLM
typedef struct nc_names nc_names;  // CURLSH

typedef struct nc_slist {  // struct curl_slist
    char *data;
    struct nc_slist *_Nullable next;
} nc_slist;

typedef struct nc_message {  // CURLMsg
    int msg;
    nc_easy *easy_handle;
    union {
        void *_Nullable whatever;
        int result;
    } data;
} nc_message;

#define NC_OPTIONS(X)                                                                                                  \
    X(BUFFERSIZE, 98) X(CONNECTTIMEOUT_MS, 156) X(CONNECT_ONLY, 141) X(ERRORBUFFER, 10010) X(FRESH_CONNECT, 74)        \
    X(HTTPPROXYTUNNEL, 61) X(INTERFACE, 10062) X(IPRESOLVE, 113) X(NOPROXY, 10177) X(NOSIGNAL, 99)                     \
    X(OPENSOCKETDATA, 10164) X(OPENSOCKETFUNCTION, 20163) X(PRIVATE, 10103) X(PROXY, 10004) X(PROXYPASSWORD, 10176)    \
    X(PROXYUSERNAME, 10175) X(QUICK_EXIT, 322) X(RESOLVE, 10203) X(RESOLVER_START_DATA, 10273)                         \
    X(RESOLVER_START_FUNCTION, 20272) X(SHARE, 10100) X(SOCKS5_AUTH, 267) X(SUPPRESS_CONNECT_HEADERS, 265)             \
    X(UNIX_SOCKET_PATH, 10231) X(URL, 10002)

#define NC_INFOS(X)                                                                                                    \
    X(ACTIVESOCKET, 0x50002c) X(CONNECT_TIME_T, 0x600034) X(HTTP_CONNECTCODE, 0x200016)                                \
    X(NAMELOOKUP_TIME_T, 0x600033) X(OS_ERRNO, 0x200019) X(PRIVATE, 0x100015) X(PROXY_ERROR, 0x20003b)

#define NC_MULTI_OPTIONS(X)                                                                                            \
    X(SOCKETDATA, 10002) X(SOCKETFUNCTION, 20001) X(TIMERDATA, 10005) X(TIMERFUNCTION, 20004)

#define NC_RESULTS(X)                                                                                                  \
    X(UNSUPPORTED_PROTOCOL, 1) X(URL_MALFORMAT, 3) X(NOT_BUILT_IN, 4) X(COULDNT_RESOLVE_PROXY, 5)                      \
    X(COULDNT_RESOLVE_HOST, 6) X(COULDNT_CONNECT, 7) X(OUT_OF_MEMORY, 27) X(OPERATION_TIMEDOUT, 28)                    \
    X(INTERFACE_FAILED, 45) X(GOT_NOTHING, 52) X(SEND_ERROR, 55) X(RECV_ERROR, 56) X(PROXY, 97)

typedef enum nc_option {
#define X(name, value) NC_OPT_##name = value,
    NC_OPTIONS(X)
#undef X
} nc_option;

typedef enum nc_info {
#define X(name, value) NC_INFO_##name = value,
    NC_INFOS(X)
#undef X
} nc_info;

enum {
#define X(name, value) NC_MOPT_##name = value,
    NC_MULTI_OPTIONS(X)
#undef X
// The results that are told apart; the rest are shown by number and text.
#define X(name, value) NC_E_##name = value,
    NC_RESULTS(X)
#undef X
    NC_GLOBAL_ALL = 3,
    NC_MESSAGE_DONE = 1,
    NC_ERROR_SIZE = 256,
    NC_SOCKET_TIMEOUT = -1,
    NC_SHARE_OPTION = 1, NC_LOCK_DATA_DNS = 3,
    NC_POLL_IN = 1, NC_POLL_OUT = 2, NC_POLL_REMOVE = 4,
    NC_CSELECT_IN = 1, NC_CSELECT_OUT = 2, NC_CSELECT_ERR = 4,
    NC_IPRESOLVE_V4 = 1, NC_IPRESOLVE_V6 = 2,
    NC_AUTH_BASIC = 1,
    // What a SOCKS proxy says of the server (RFC 1928, section 6), and a name that was not resolved here.
    NC_PROXY_CONNECTION_REFUSED = 19,
    NC_PROXY_HOST_UNREACHABLE = 21,
    NC_PROXY_NETWORK_UNREACHABLE = 22,
    NC_PROXY_RESOLVE_HOST = 27,
};

/// Loads libcurl once for the process. Thread safe. Returns NULL, or why it cannot be loaded.
const char *_Nullable nc_load(void);

/// `libcurl/7.88.1 OpenSSL/3.0.15 …`. Only after a successful `nc_load`.
const char *nc_version(void);

/// The name of an option, such as `CURLOPT_URL`.
const char *nc_option_name(nc_option option);

/// Sets one option. Returns libcurl's result: 0, or why the option failed.
int nc_set_long(nc_easy *easy, nc_option option, long value);
int nc_set_pointer(nc_easy *easy, nc_option option, const void *_Nullable value);

/// Reads one value. Returns 0 if there is none.
long nc_info_long(nc_easy *easy, nc_info info);
int64_t nc_info_offset(nc_easy *easy, nc_info info);

const char *nc_error_text(int result);

/// Appends a copy of the text. Returns NULL if memory ran out, and leaves the list unchanged.
nc_slist *_Nullable nc_list_append(nc_slist *_Nullable list, const char *text);

#pragma clang assume_nonnull end

#endif
