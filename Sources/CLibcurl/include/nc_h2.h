// The part of libnghttp2's binary interface that is used here, and its functions, which are loaded at run time.
// `Scripts/check-curl-abi` compares every number and every struct with the real nghttp2/nghttp2.h.
#ifndef CNGHTTP2_H
#define CNGHTTP2_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

typedef struct nc_h2 nc_h2;                      // nghttp2_session
typedef struct nc_h2_callbacks nc_h2_callbacks;  // nghttp2_session_callbacks
typedef struct nc_h2_option nc_h2_option;        // nghttp2_option

typedef struct nc_h2_nv {  // nghttp2_nv
    uint8_t *name, *value;
    size_t namelen, valuelen;
    uint8_t flags;
} nc_h2_nv;

typedef struct nc_h2_hd {  // nghttp2_frame_hd
    size_t length;
    int32_t stream_id;
    uint8_t type, flags, reserved;
} nc_h2_hd;

typedef struct nc_h2_goaway {  // nghttp2_goaway, as far as it is read
    nc_h2_hd hd;
    int32_t last_stream_id;
    uint32_t error_code;
} nc_h2_goaway;

typedef struct nc_h2_setting {  // nghttp2_settings_entry
    int32_t settings_id;
    uint32_t value;
} nc_h2_setting;

typedef union nc_h2_source {  // nghttp2_data_source
    int fd;
    void *_Nullable ptr;
} nc_h2_source;

typedef ssize_t (*nc_h2_read)(nc_h2 *, int32_t, uint8_t *, size_t, uint32_t *, nc_h2_source *, void *);

typedef struct nc_h2_provider {  // nghttp2_data_provider
    nc_h2_source source;
    nc_h2_read read_callback;
} nc_h2_provider;

typedef int (*nc_h2_on_frame)(nc_h2 *, const nc_h2_hd *, void *);
typedef int (*nc_h2_on_frame_error)(nc_h2 *, const nc_h2_hd *, int, void *);
typedef int (*nc_h2_on_data)(nc_h2 *, uint8_t, int32_t, const uint8_t *, size_t, void *);
typedef int (*nc_h2_on_close)(nc_h2 *, int32_t, uint32_t, void *);
typedef int (*nc_h2_on_field)(
    nc_h2 *, const nc_h2_hd *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, void *);

#define NC_H2_NUMBERS(X)                                                                                               \
    X(DATA, 0) X(HEADERS, 1) X(RST_STREAM, 3) X(SETTINGS, 4) X(GOAWAY, 7) X(FLAG_ACK, 1) X(FLAG_END_STREAM, 1)         \
    X(DATA_FLAG_EOF, 1) X(SETTINGS_ENABLE_PUSH, 2) X(SETTINGS_MAX_CONCURRENT_STREAMS, 3)                               \
    X(SETTINGS_INITIAL_WINDOW_SIZE, 4) X(SETTINGS_MAX_HEADER_LIST_SIZE, 6) X(NO_ERROR, 0) X(CANCEL, 8)                 \
    X(ERR_DEFERRED, -508) X(ERR_TEMPORAL_CALLBACK_FAILURE, -521) X(ERR_NOMEM, -901) X(ERR_FLOODED, -904)

enum {
#define X(name, value) NC_H2_##name = value,
    NC_H2_NUMBERS(X)
#undef X
    // Since 1.61, and in patched older versions; not in every header.
    NC_H2_ERR_TOO_MANY_CONTINUATIONS = -905,
};

/// The functions, without their prefix `nghttp2_`. The optional ones exist since 1.61 and 1.13.
#define NC_H2_FUNCTIONS(X, OPTIONAL) \
    X(const void *_Nullable, version, (int)) \
    X(int, session_callbacks_new, (nc_h2_callbacks *_Nullable *_Nonnull)) \
    X(void, session_callbacks_del, (nc_h2_callbacks *)) \
    X(void, session_callbacks_set_on_frame_recv_callback, (nc_h2_callbacks *, nc_h2_on_frame)) \
    X(void, session_callbacks_set_on_frame_send_callback, (nc_h2_callbacks *, nc_h2_on_frame)) \
    X(void, session_callbacks_set_on_frame_not_send_callback, (nc_h2_callbacks *, nc_h2_on_frame_error)) \
    X(void, session_callbacks_set_on_invalid_frame_recv_callback, (nc_h2_callbacks *, nc_h2_on_frame_error)) \
    X(void, session_callbacks_set_on_data_chunk_recv_callback, (nc_h2_callbacks *, nc_h2_on_data)) \
    X(void, session_callbacks_set_on_stream_close_callback, (nc_h2_callbacks *, nc_h2_on_close)) \
    X(void, session_callbacks_set_on_header_callback, (nc_h2_callbacks *, nc_h2_on_field)) \
    X(int, option_new, (nc_h2_option *_Nullable *_Nonnull)) \
    X(void, option_del, (nc_h2_option *)) \
    X(void, option_set_no_auto_window_update, (nc_h2_option *, int)) \
    OPTIONAL(void, option_set_max_continuations, (nc_h2_option *, size_t)) \
    OPTIONAL(void, option_set_max_send_header_block_length, (nc_h2_option *, size_t)) \
    X(int, session_client_new2, \
      (nc_h2 *_Nullable *_Nonnull, const nc_h2_callbacks *, void *_Nullable, const nc_h2_option *_Nullable)) \
    X(void, session_del, (nc_h2 *)) \
    X(void, session_set_user_data, (nc_h2 *, void *)) \
    X(ssize_t, session_mem_recv, (nc_h2 *, const uint8_t *, size_t)) \
    X(ssize_t, session_mem_send, (nc_h2 *, const uint8_t *_Nullable *_Nonnull)) \
    X(int, session_want_read, (nc_h2 *)) \
    X(int, session_want_write, (nc_h2 *)) \
    X(int, session_consume_connection, (nc_h2 *, size_t)) \
    X(int, session_consume_stream, (nc_h2 *, int32_t, size_t)) \
    X(int, session_set_local_window_size, (nc_h2 *, uint8_t, int32_t, int32_t)) \
    X(void *_Nullable, session_get_stream_user_data, (nc_h2 *, int32_t)) \
    X(int, session_set_stream_user_data, (nc_h2 *, int32_t, void *_Nullable)) \
    X(uint32_t, session_get_remote_settings, (nc_h2 *, int)) \
    X(int, session_terminate_session, (nc_h2 *, uint32_t)) \
    X(int, session_resume_data, (nc_h2 *, int32_t)) \
    X(int32_t, submit_request, \
      (nc_h2 *, const void *_Nullable, const nc_h2_nv *, size_t, const nc_h2_provider *_Nullable, void *_Nullable)) \
    X(int, submit_ping, (nc_h2 *, uint8_t, const uint8_t *_Nullable)) \
    X(int, submit_rst_stream, (nc_h2 *, uint8_t, int32_t, uint32_t)) \
    X(int, submit_settings, (nc_h2 *, uint8_t, const nc_h2_setting *, size_t)) \
    X(const char *_Nonnull, strerror, (int))

struct nc_h2_functions {
#define X(type, name, parameters) type (*_Nonnull name) parameters;
#define OPTIONAL(type, name, parameters) type (*_Nullable name) parameters;
    NC_H2_FUNCTIONS(X, OPTIONAL)
#undef X
#undef OPTIONAL
};

/// Only after `nc_h2_load` has returned NULL. It is not changed afterwards.
extern struct nc_h2_functions nc_h2_lib __attribute__((swift_attr("nonisolated(unsafe)")));

/// Loads libnghttp2 once for the process. Thread safe. Returns NULL, or why HTTP/2 is unavailable.
const char *_Nullable nc_h2_load(void);

#pragma clang assume_nonnull end

#endif
