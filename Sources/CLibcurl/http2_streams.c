#if defined(__linux__)
// The streams of HTTP/2 connections: the callbacks of libnghttp2, and how streams end.
#include "nc_private.h"
#include "nc_session.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Consecutive DATA frames without a byte; frames without content in ten seconds.
    EMPTY_FRAMES = 1000,
    IDLE_FRAMES = 10000,
    LARGEST_WINDOW = 8 << 20,
};

bool nc_stream_is_whole(const nc_transfer *transfer) {
    if (!transfer->head_done) return false;
    return !nc_transfer_has_body(transfer)
        || (transfer->content_length >= 0 && transfer->delivered == transfer->content_length);
}

static nc_transfer *transfer_of(nc_h2 *http2, int32_t stream) {
    return stream ? nc_h2_lib.session_get_stream_user_data(http2, stream) : NULL;
}

void nc_stream_finish(nc_transfer *transfer, nc_http2_end end, uint32_t code) {
    nc_session *session = transfer->session;
    if (!session) return;
    nc_h2_lib.session_set_stream_user_data(session->http2, transfer->stream, NULL);
    if (transfer->previous_stream) transfer->previous_stream->next_stream = transfer->next_stream;
    else session->streams = transfer->next_stream;
    if (transfer->next_stream) transfer->next_stream->previous_stream = transfer->previous_stream;
    transfer->next_stream = transfer->previous_stream = NULL;
    transfer->session = NULL;
    session->stream_count--;
    session->grown -= transfer->grown;
    transfer->grown = 0;
    nc_loop *loop = session->loop;
    session->idle_since = loop->now;
    nc_session_note(session);

    transfer->http2_end = end;
    transfer->http2_code = code;
    transfer->ended = loop->now;
    transfer->is_done = 1;
    transfer->next_done = NULL;
    if (loop->last_done) loop->last_done->next_done = transfer;
    else loop->first_done = transfer;
    loop->last_done = transfer;
}

void nc_stream_abort(nc_transfer *transfer, nc_http2_end end, uint32_t code) {
    nc_session *session = transfer->session;
    int32_t stream = transfer->stream;
    nc_stream_finish(transfer, end, code);
    if (session) nc_h2_lib.submit_rst_stream(session->http2, 0, stream, NC_H2_CANCEL);
}

// MARK: Flow

void nc_session_go_on(nc_transfer *transfer) {
    nc_session *session = transfer->session;
    if (!session) return;
    size_t unread = transfer->outstanding + transfer->body_length;
    if (transfer->unconsumed > unread) {
        nc_h2_lib.session_consume_stream(session->http2, transfer->stream, transfer->unconsumed - unread);
        transfer->unconsumed = unread;
        // A reader that keeps up with a whole window gets a larger one, so that a long round trip does not limit its speed.
        if (!unread && transfer->since_growth > (size_t)session->loop->stream_window) {
            // The growth of all streams together is limited, since any of their readers may stop.
            size_t wished = transfer->since_growth < LARGEST_WINDOW / 2 ? transfer->since_growth * 2 : LARGEST_WINDOW;
            int32_t larger = (int32_t)wished, room = LARGEST_WINDOW - session->grown;
            int32_t window = session->loop->stream_window + transfer->grown;
            if (larger > window + room) larger = window + room;
            if (larger > window && window < LARGEST_WINDOW / 2
                && !nc_h2_lib.session_set_local_window_size(session->http2, 0, transfer->stream, larger)) {
                transfer->grown += larger - window;
                session->grown += larger - window;
            }
            transfer->since_growth = 0;
        }
    }
    if (transfer->upload != NC_UPLOAD_NONE && !transfer->send_paused && !transfer->awaits_continue)
        nc_h2_lib.session_resume_data(session->http2, transfer->stream);
    nc_session_note(session);
}

void nc_session_cancel(nc_transfer *transfer) { nc_stream_abort(transfer, NC_HTTP2_RESET, NC_H2_CANCEL); }

// MARK: The response

/// Passes a field to `nc_on_header` as a line of HTTP/1.1.
static bool take_line(
    nc_session *session, nc_transfer *transfer, const void *name, size_t name_length, const char *separator,
    const uint8_t *value, size_t value_length) {
    size_t separator_length = strlen(separator), start = name_length + separator_length;
    size_t length = start + value_length + 2;
    if (length > session->line_capacity) {
        char *larger = realloc(session->line, length);
        if (!larger) return false;
        session->line = larger;
        session->line_capacity = length;
    }
    char *line = session->line;
    memcpy(line, name, name_length);
    memcpy(line + name_length, separator, separator_length);
    memcpy(line + start, value, value_length);
    memcpy(line + start + value_length, "\r\n", 2);
    return nc_on_header(line, 1, length, transfer) == length;
}

static int on_header(nc_h2 *http2, const nc_h2_hd *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
                     size_t value_length, uint8_t flags, void *raw) {
    (void)flags;
    nc_session *session = raw;
    nc_transfer *transfer = transfer_of(http2, frame->stream_id);
    if (!transfer) return 0;
    transfer->last_activity = session->loop->now;
    if (!transfer->first_byte_at) transfer->first_byte_at = session->loop->now;
    // `:status` is the only pseudo-field of responses.
    bool is_status = name_length == 7 && name[0] == ':', taken = name_length > 0;
    if (is_status) taken = take_line(session, transfer, "HTTP/2", 6, " ", value, value_length);
    else if (name[0] != ':') taken = take_line(session, transfer, name, name_length, ": ", value, value_length);
    if (taken) return 0;
    nc_stream_abort(transfer, NC_HTTP2_VIOLATION, NC_H2_CANCEL);
    return NC_H2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int on_data(nc_h2 *http2, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length, void *raw) {
    (void)flags;
    nc_session *session = raw;
    session->idle_frames = 0;
    // Each stream's window holds the server back. The connection's window must not depend on one reader.
    nc_h2_lib.session_consume_connection(http2, length);
    nc_transfer *transfer = transfer_of(http2, stream);
    if (!transfer) return 0;
    transfer->empty_frames = 0;
    if (nc_on_write((char *)bytes, 1, length, transfer) != length) {
        nc_stream_abort(transfer, NC_HTTP2_VIOLATION, NC_H2_CANCEL);
        return 0;
    }
    transfer->since_growth += length;
    if (transfer->streams) {
        transfer->unconsumed += length;
        return 0;
    }
    // A collected body goes to memory in any case, up to its limit.
    nc_h2_lib.session_consume_stream(http2, stream, length);
    if (transfer->since_growth > (size_t)session->loop->stream_window
        && nc_h2_lib.session_get_stream_local_window_size(http2, stream) < LARGEST_WINDOW / 2) {
        nc_h2_lib.session_set_local_window_size(http2, 0, stream, LARGEST_WINDOW);
        transfer->since_growth = 0;
    }
    return 0;
}

static int flooded(nc_session *session) {
    session->own_code = NC_H2_ENHANCE_YOUR_CALM;
    nc_h2_lib.session_terminate_session(session->http2, NC_H2_ENHANCE_YOUR_CALM);
    return 0;
}

/// Counts a frame without content. Returns true for too many: they cost time, and no server has a reason to send thousands.
static bool is_flood(nc_session *session) {
    int64_t now = session->loop->now;
    if (now - session->idle_frames_since > 10000000000) {
        session->idle_frames_since = now;
        session->idle_frames = 0;
    }
    return ++session->idle_frames > IDLE_FRAMES;
}

static void let_body_go(nc_transfer *transfer) {
    if (!transfer->awaits_continue) return;
    transfer->awaits_continue = 0;
    transfer->continue_due = 0;
    nc_session_go_on(transfer);
}

static void end_of_head(nc_transfer *transfer, bool ends_stream) {
    if (nc_on_header("\r\n", 1, 2, transfer) != 2) return nc_stream_abort(transfer, NC_HTTP2_VIOLATION, NC_H2_CANCEL);
    // The body goes after 100, or after a response without one, unless that is a refusal.
    if (transfer->status == 100 || (transfer->head_done && transfer->status < 300)) let_body_go(transfer);
    else if (transfer->head_done) transfer->continue_due = 0;
    // A response without a body is complete, whatever the frame says.
    if (!ends_stream && transfer->head_done && !nc_transfer_has_body(transfer)) nc_stream_abort(transfer, NC_HTTP2_WHOLE, 0);
}

static int on_frame(nc_h2 *http2, const nc_h2_hd *frame, void *raw) {
    nc_session *session = raw;
    nc_transfer *transfer = transfer_of(http2, frame->stream_id);
    if (frame->type == NC_H2_SETTINGS && !(frame->flags & NC_H2_FLAG_ACK)) session->is_settled = 1;
    switch (frame->type) {
    case NC_H2_HEADERS:
        if (transfer) session->idle_frames = 0;
        if (transfer && !transfer->head_done) end_of_head(transfer, frame->flags & NC_H2_FLAG_END_STREAM);
        break;
    case NC_H2_DATA:
        if (!frame->length && !(frame->flags & NC_H2_FLAG_END_STREAM)) {
            if (is_flood(session) || (transfer && ++transfer->empty_frames > EMPTY_FRAMES)) return flooded(session);
        }
        break;
    case NC_H2_RST_STREAM:
        if (transfer) transfer->was_reset = 1;
        if (is_flood(session)) return flooded(session);
        return 0;
    case NC_H2_GOAWAY: {
        const nc_h2_goaway *goaway = (const nc_h2_goaway *)frame;
        session->is_draining = 1;
        session->last_stream = goaway->last_stream_id;
        session->peer_code = goaway->error_code;
        for (nc_transfer *next, *each = session->streams; each; each = next) {
            next = each->next_stream;
            if (each->stream > session->last_stream) nc_stream_finish(each, NC_HTTP2_UNPROCESSED, goaway->error_code);
        }
        return 0;
    }
    default:
        if (is_flood(session)) return flooded(session);
        return 0;
    }
    if (!(frame->flags & NC_H2_FLAG_END_STREAM)) return 0;
    transfer = transfer_of(http2, frame->stream_id);
    // The response is complete. If the request is not, the rest of it is not sent.
    if (transfer && transfer->head_done) {
        bool is_sent = transfer->upload == NC_UPLOAD_NONE || !transfer->upload_length || transfer->is_body_sent;
        if (is_sent) nc_stream_finish(transfer, NC_HTTP2_WHOLE, 0);
        else nc_stream_abort(transfer, NC_HTTP2_WHOLE, 0);
    }
    return 0;
}

static int on_invalid(nc_h2 *http2, const nc_h2_hd *frame, int error, void *raw) {
    (void)raw;
    nc_transfer *transfer = transfer_of(http2, frame->stream_id);
    if (transfer && !transfer->error[0]) {
        const char *text = nc_h2_lib.strerror(error);
        strncpy(transfer->error, text, sizeof transfer->error - 1);
    }
    return 0;
}

static int on_close(nc_h2 *http2, int32_t stream, uint32_t code, void *raw) {
    nc_session *session = raw;
    nc_transfer *transfer = transfer_of(http2, stream);
    if (!transfer) return 0;
    nc_http2_end end = NC_HTTP2_VIOLATION;
    if (transfer->was_reset) end = nc_stream_is_whole(transfer) ? NC_HTTP2_WHOLE : NC_HTTP2_RESET;
    else if (stream > session->last_stream) end = NC_HTTP2_UNPROCESSED;
    nc_stream_finish(transfer, end, code);
    return 0;
}

static nc_transfer *find_stream(nc_session *session, int32_t stream) {
    nc_transfer *transfer = session->streams;
    while (transfer && transfer->stream != stream) transfer = transfer->next_stream;
    return transfer;
}

static int on_sent(nc_h2 *http2, const nc_h2_hd *frame, void *raw) {
    nc_session *session = raw;
    nc_transfer *transfer = transfer_of(http2, frame->stream_id);
    if (frame->type == NC_H2_GOAWAY) {
        // Our own: libnghttp2 found an error of the peer.
        const nc_h2_goaway *goaway = (const nc_h2_goaway *)frame;
        if (goaway->error_code && !session->own_code) session->own_code = goaway->error_code;
        session->is_draining = 1;
    } else if (transfer) {
        nc_loop *loop = session->loop;
        if (frame->type == NC_H2_HEADERS && !transfer->is_sent) {
            transfer->is_sent = 1;
            transfer->submitted = loop->now;
            if (transfer->awaits_continue) {
                transfer->continue_due = loop->now + 1000000000;
                if (!loop->session_due || transfer->continue_due < loop->session_due)
                    loop->session_due = transfer->continue_due;
            }
        }
        if (frame->type == NC_H2_HEADERS || frame->type == NC_H2_DATA) transfer->last_activity = loop->now;
        if (transfer->tells_steps && frame->flags & NC_H2_FLAG_END_STREAM) nc_step_sent(transfer);
        if (frame->type == NC_H2_DATA) {
            session->idle_frames = 0;
            if (transfer->wants_events) nc_transfer_signal(transfer);
        }
    }
    return 0;
}

static int on_not_sent(nc_h2 *http2, const nc_h2_hd *frame, int error, void *raw) {
    (void)http2, (void)error;
    nc_transfer *transfer = frame->type == NC_H2_HEADERS ? find_stream(raw, frame->stream_id) : NULL;
    if (transfer) nc_stream_finish(transfer, NC_HTTP2_UNPROCESSED, 0);
    return 0;
}

nc_h2_callbacks *nc_session_callbacks(void) {
    nc_h2_callbacks *callbacks;
    if (nc_h2_lib.session_callbacks_new(&callbacks)) return NULL;
    nc_h2_lib.session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nc_h2_lib.session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nc_h2_lib.session_callbacks_set_on_frame_not_send_callback(callbacks, on_not_sent);
    nc_h2_lib.session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid);
    nc_h2_lib.session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nc_h2_lib.session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nc_h2_lib.session_callbacks_set_on_header_callback(callbacks, on_header);
    return callbacks;
}
#else
typedef int nc_unused_http2_streams;
#endif
