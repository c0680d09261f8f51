#if defined(__linux__)
#include "include/nc_h2.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdbool.h>

struct nc_h2_functions nc_h2_lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static bool find(void *library) {
    const void *(*version)(int least);
    const cl_symbol first = {"version", &version};
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
        CL_SYMBOL(nc_h2_lib, session_set_user_data), CL_SYMBOL(nc_h2_lib, strerror),
    };
    // Before 1.33, the user data of a stream could not be changed while its request waited to be sent.
    if (cl_find(library, "nghttp2_", &first, 1) || !version(0x012100)) return false;
    if (cl_find(library, "nghttp2_", symbols, CL_COUNT(symbols))) return false;
    static const cl_symbol optional[] = {
        CL_SYMBOL(nc_h2_lib, option_set_max_continuations), CL_SYMBOL(nc_h2_lib, option_set_max_send_header_block_length)};
    for (size_t index = 0; index < CL_COUNT(optional); index++) cl_find(library, "nghttp2_", &optional[index], 1);
    return true;
}

static void load(void) {
    static const char *const names[] = {"libnghttp2.so.14"};
    // libcurl usually has loaded it.
    void *library = cl_open(names, CL_COUNT(names), true, NULL, 0);
    is_loaded = library && find(library);
}

const char *nc_h2_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : "HTTP/2 needs libnghttp2.so.14, 1.33 or later. Install libnghttp2-14.";
}
#else
// Strict compilers require a declaration in each translation unit.
typedef int nc_unused_h2_loader;
#endif
