// The part of libcurl's binary interface that is used here. It has been stable since soname 4 (2006).
// `Scripts/check-curl-abi` compares every number and every struct with the real curl/curl.h.
#ifndef NC_ABI_H
#define NC_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct nc_easy nc_easy;    // CURL
typedef struct nc_multi nc_multi;  // CURLM

typedef struct nc_slist {  // struct curl_slist
    char *data;
    struct nc_slist *next;
} nc_slist;

typedef struct nc_certinfo {  // struct curl_certinfo
    int num_of_certs;
    nc_slist **certinfo;
} nc_certinfo;

typedef struct nc_blob {  // struct curl_blob
    void *data;
    size_t len;
    unsigned int flags;
} nc_blob;

typedef struct nc_tls {  // struct curl_tlssessioninfo
    int backend;
    void *internals;
} nc_tls;

/// Its first fields, which every version has.
typedef struct nc_version_info {  // curl_version_info_data
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
} nc_version_info;

typedef struct nc_message {  // CURLMsg
    int msg;
    nc_easy *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
} nc_message;

#define NC_OPTIONS(X)                                                                                                  \
    X(BUFFERSIZE, 98)                                                                                                  \
    X(CAINFO, 10065)                                                                                                   \
    X(CAINFO_BLOB, 40309)                                                                                              \
    X(CAPATH, 10097)                                                                                                   \
    X(CERTINFO, 172)                                                                                                   \
    X(CLOSESOCKETDATA, 10209)                                                                                          \
    X(CLOSESOCKETFUNCTION, 20208)                                                                                      \
    X(CONNECTTIMEOUT_MS, 156)                                                                                          \
    X(CONNECT_ONLY, 141)                                                                                               \
    X(CUSTOMREQUEST, 10036)                                                                                            \
    X(DISALLOW_USERNAME_IN_URL, 278)                                                                                   \
    X(DOH_URL, 10279)                                                                                                  \
    X(ERRORBUFFER, 10010)                                                                                              \
    X(EXPECT_100_TIMEOUT_MS, 227)                                                                                      \
    X(FORBID_REUSE, 75)                                                                                                \
    X(FRESH_CONNECT, 74)                                                                                               \
    X(HEADERDATA, 10029)                                                                                               \
    X(HEADERFUNCTION, 20079)                                                                                           \
    X(HTTP09_ALLOWED, 285)                                                                                             \
    X(HTTPGET, 80)                                                                                                     \
    X(HTTPHEADER, 10023)                                                                                               \
    X(HTTPPROXYTUNNEL, 61)                                                                                             \
    X(HTTP_CONTENT_DECODING, 158)                                                                                      \
    X(HTTP_VERSION, 84)                                                                                                \
    X(INFILESIZE_LARGE, 30115)                                                                                         \
    X(INTERFACE, 10062)                                                                                                \
    X(IPRESOLVE, 113)                                                                                                  \
    X(KEYPASSWD, 10026)                                                                                                \
    X(NOBODY, 44)                                                                                                      \
    X(NOPROXY, 10177)                                                                                                  \
    X(NOSIGNAL, 99)                                                                                                    \
    X(OPENSOCKETDATA, 10164)                                                                                           \
    X(OPENSOCKETFUNCTION, 20163)                                                                                       \
    X(PATH_AS_IS, 234)                                                                                                 \
    X(POST, 47)                                                                                                        \
    X(POSTFIELDS, 10015)                                                                                               \
    X(POSTFIELDSIZE_LARGE, 30120)                                                                                      \
    X(PREREQDATA, 10313)                                                                                               \
    X(PREREQFUNCTION, 20312)                                                                                           \
    X(PRIVATE, 10103)                                                                                                  \
    X(PROTOCOLS, 181)                                                                                                  \
    X(PROTOCOLS_STR, 10318)                                                                                            \
    X(PROXY, 10004)                                                                                                    \
    X(PROXYPASSWORD, 10176)                                                                                            \
    X(PROXYUSERNAME, 10175)                                                                                            \
    X(PROXY_CAINFO, 10246)                                                                                             \
    X(PROXY_CAINFO_BLOB, 40310)                                                                                        \
    X(PROXY_CAPATH, 10247)                                                                                             \
    X(PROXY_SSLVERSION, 250)                                                                                           \
    X(PROXY_SSL_VERIFYHOST, 249)                                                                                       \
    X(PROXY_SSL_VERIFYPEER, 248)                                                                                       \
    X(QUICK_EXIT, 322)                                                                                                 \
    X(READDATA, 10009)                                                                                                 \
    X(READFUNCTION, 20012)                                                                                             \
    X(RESOLVE, 10203)                                                                                                  \
    X(RESOLVER_START_DATA, 10273)                                                                                      \
    X(RESOLVER_START_FUNCTION, 20272)                                                                                  \
    X(SEEKDATA, 10168)                                                                                                 \
    X(SEEKFUNCTION, 20167)                                                                                             \
    X(SOCKS5_AUTH, 267)                                                                                                \
    X(SSLCERTTYPE, 10086)                                                                                              \
    X(SSLCERT_BLOB, 40291)                                                                                             \
    X(SSLKEYTYPE, 10088)                                                                                               \
    X(SSLKEY_BLOB, 40292)                                                                                              \
    X(SSLVERSION, 32)                                                                                                  \
    X(SSL_CTX_DATA, 10109)                                                                                             \
    X(SSL_CTX_FUNCTION, 20108)                                                                                         \
    X(SSL_ENABLE_ALPN, 226)                                                                                            \
    X(SSL_VERIFYHOST, 81)                                                                                              \
    X(SSL_VERIFYPEER, 64)                                                                                              \
    X(SUPPRESS_CONNECT_HEADERS, 265)                                                                                   \
    X(UNIX_SOCKET_PATH, 10231)                                                                                         \
    X(UPLOAD, 46)                                                                                                      \
    X(UPLOAD_BUFFERSIZE, 280)                                                                                          \
    X(URL, 10002)                                                                                                      \
    X(WRITEDATA, 10001)                                                                                                \
    X(WRITEFUNCTION, 20011)

#define NC_INFOS(X)                                                                                                    \
    X(ACTIVESOCKET, 0x50002c)                                                                                          \
    X(APPCONNECT_TIME_T, 0x600038)                                                                                     \
    X(CERTINFO, 0x400022)                                                                                              \
    X(CONNECT_TIME_T, 0x600034)                                                                                        \
    X(HTTP_CONNECTCODE, 0x200016)                                                                                      \
    X(NAMELOOKUP_TIME_T, 0x600033)                                                                                     \
    X(NUM_CONNECTS, 0x20001a)                                                                                          \
    X(OS_ERRNO, 0x200019)                                                                                              \
    X(PRETRANSFER_TIME_T, 0x600035)                                                                                    \
    X(PRIMARY_IP, 0x100020)                                                                                            \
    X(PRIMARY_PORT, 0x200028)                                                                                          \
    X(PRIVATE, 0x100015)                                                                                               \
    X(PROXY_ERROR, 0x20003b)                                                                                           \
    X(REQUEST_SIZE, 0x20000c)                                                                                          \
    X(SIZE_DOWNLOAD_T, 0x600008)                                                                                       \
    X(SIZE_UPLOAD_T, 0x600007)                                                                                         \
    X(STARTTRANSFER_TIME_T, 0x600036)                                                                                  \
    X(TLS_SSL_PTR, 0x40002d)                                                                                           \
    X(TOTAL_TIME_T, 0x600032)

#define NC_MULTI_OPTIONS(X)                                                                                            \
    X(MAXCONNECTS, 6)                                                                                                  \
    X(MAX_HOST_CONNECTIONS, 7)                                                                                         \
    X(SOCKETDATA, 10002)                                                                                               \
    X(SOCKETFUNCTION, 20001)                                                                                           \
    X(TIMERDATA, 10005)                                                                                                \
    X(TIMERFUNCTION, 20004)

#define NC_RESULTS(X)                                                                                                  \
    X(OK, 0)                                                                                                           \
    X(UNSUPPORTED_PROTOCOL, 1)                                                                                         \
    X(URL_MALFORMAT, 3)                                                                                                \
    X(NOT_BUILT_IN, 4)                                                                                                 \
    X(COULDNT_RESOLVE_PROXY, 5)                                                                                        \
    X(COULDNT_RESOLVE_HOST, 6)                                                                                         \
    X(COULDNT_CONNECT, 7)                                                                                              \
    X(WEIRD_SERVER_REPLY, 8)                                                                                           \
    X(PARTIAL_FILE, 18)                                                                                                \
    X(WRITE_ERROR, 23)                                                                                                 \
    X(UPLOAD_FAILED, 25)                                                                                               \
    X(READ_ERROR, 26)                                                                                                  \
    X(OUT_OF_MEMORY, 27)                                                                                               \
    X(OPERATION_TIMEDOUT, 28)                                                                                          \
    X(SSL_CONNECT_ERROR, 35)                                                                                           \
    X(ABORTED_BY_CALLBACK, 42)                                                                                         \
    X(BAD_FUNCTION_ARGUMENT, 43)                                                                                       \
    X(INTERFACE_FAILED, 45)                                                                                            \
    X(UNKNOWN_OPTION, 48)                                                                                              \
    X(GOT_NOTHING, 52)                                                                                                 \
    X(SSL_ENGINE_NOTFOUND, 53)                                                                                         \
    X(SEND_ERROR, 55)                                                                                                  \
    X(RECV_ERROR, 56)                                                                                                  \
    X(SSL_CERTPROBLEM, 58)                                                                                             \
    X(SSL_CIPHER, 59)                                                                                                  \
    X(PEER_FAILED_VERIFICATION, 60)                                                                                    \
    X(BAD_CONTENT_ENCODING, 61)                                                                                        \
    X(FILESIZE_EXCEEDED, 63)                                                                                           \
    X(SEND_FAIL_REWIND, 65)                                                                                            \
    X(SSL_CACERT_BADFILE, 77)                                                                                          \
    X(SSL_SHUTDOWN_FAILED, 80)                                                                                         \
    X(AGAIN, 81)                                                                                                       \
    X(SSL_CRL_BADFILE, 82)                                                                                             \
    X(SSL_ISSUER_ERROR, 83)                                                                                            \
    X(SSL_PINNEDPUBKEYNOTMATCH, 90)                                                                                    \
    X(SSL_INVALIDCERTSTATUS, 91)                                                                                       \
    X(HTTP2_STREAM, 92)                                                                                                \
    X(HTTP3, 95)                                                                                                       \
    X(QUIC_CONNECT_ERROR, 96)                                                                                          \
    X(PROXY, 97)                                                                                                       \
    X(SSL_CLIENTCERT, 98)

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

typedef enum nc_multi_option {
#define X(name, value) NC_MOPT_##name = value,
    NC_MULTI_OPTIONS(X)
#undef X
} nc_multi_option;

/// The results that are told apart; the rest are shown by number and text.
enum {
#define X(name, value) NC_E_##name = value,
    NC_RESULTS(X)
#undef X
    // Since 8.6, so not in the older header that the check may find.
    NC_E_TOO_LARGE = 100,
};

enum {
    NC_GLOBAL_ALL = 3,
    NC_MESSAGE_DONE = 1,
    NC_ERROR_SIZE = 256,
    NC_WRITEFUNC_PAUSE = 0x10000001,
    NC_READFUNC_PAUSE = 0x10000001,
    NC_READFUNC_ABORT = 0x10000000,
    NC_SEEKFUNC_OK = 0,
    NC_SEEKFUNC_FAIL = 1,
    NC_PREREQFUNC_OK = 0,
    NC_PREREQFUNC_ABORT = 1,
    NC_PAUSE_RECV = 1,
    NC_PAUSE_SEND = 4,
    NC_SOCKET_TIMEOUT = -1,
    NC_POLL_IN = 1,
    NC_POLL_OUT = 2,
    NC_POLL_REMOVE = 4,
    NC_CSELECT_IN = 1,
    NC_CSELECT_OUT = 2,
    NC_CSELECT_ERR = 4,
    NC_HTTP_VERSION_1_1 = 2,
    NC_HTTP_VERSION_3ONLY = 31,
    NC_IPRESOLVE_V4 = 1,
    NC_IPRESOLVE_V6 = 2,
    NC_VERSION_HTTP3 = 1 << 25,
    NC_VERSION_NOW = 0,
    NC_SSLVERSION_TLSv1_0 = 4,
    NC_SSLVERSION_TLSv1_1 = 5,
    NC_SSLVERSION_TLSv1_2 = 6,
    NC_SSLVERSION_TLSv1_3 = 7,
    NC_PROTO_HTTP_AND_HTTPS = 3,
    NC_AUTH_BASIC = 1,
    // What a SOCKS proxy says of the server (RFC 1928, section 6), and a name that was not resolved here.
    NC_PROXY_CONNECTION_REFUSED = 19,
    NC_PROXY_HOST_UNREACHABLE = 21,
    NC_PROXY_NETWORK_UNREACHABLE = 22,
    NC_PROXY_RESOLVE_HOST = 27,
    NC_SSLBACKEND_OPENSSL = 1,
};

#endif
