#if defined(__linux__)
// HTTP/2 connections: their bytes, their life, and how the loop serves them.
#define _GNU_SOURCE
#include "include/nc_loader.h"
#include "nc_private.h"
#include "nc_session.h"

#include <stdlib.h>
#include <string.h>

enum {
    READ_SIZE = 64 * 1024,
    // The bytes that one connection may read in a turn, before the others have theirs.
    BYTES_PER_TURN = 256 * 1024,
    WRITE_SIZE = 64 * 1024,
    CONNECTION_WINDOW = 16 << 20,
    LARGEST_REQUEST_HEAD = 16 << 20,
};

// libcurl's default for idle connections, in nanoseconds.
static const int64_t idle_limit = 118 * INT64_C(1000000000);

static void receive(nc_session *session);

// MARK: Life

static bool speak(nc_session *session) {
    nc_loop *loop = session->loop;
    nc_h2_callbacks *callbacks = nc_session_callbacks();
    nc_h2_option *option = NULL;
    nc_h2 *http2 = NULL;
    if (callbacks && !nc_h2_lib.option_new(&option)) {
        nc_h2_lib.option_set_no_auto_window_update(option, 1);
        // A head within its limit may consist of frames of a few kilobytes.
        if (nc_h2_lib.option_set_max_continuations)
            nc_h2_lib.option_set_max_continuations(option, (size_t)loop->head_limit / 4096 + 8);
        // The server decides how large a request's head may be. libnghttp2's own limit is 64 KB.
        if (nc_h2_lib.option_set_max_send_header_block_length)
            nc_h2_lib.option_set_max_send_header_block_length(option, LARGEST_REQUEST_HEAD);
        if (nc_h2_lib.session_client_new2(&http2, callbacks, session, option)) http2 = NULL;
        nc_h2_lib.option_del(option);
    }
    if (callbacks) nc_h2_lib.session_callbacks_del(callbacks);
    if (!http2) return false;
    session->http2 = http2;
    nc_h2_setting settings[] = {
        {NC_H2_SETTINGS_ENABLE_PUSH, 0},
        {NC_H2_SETTINGS_INITIAL_WINDOW_SIZE, (uint32_t)loop->stream_window},
        {NC_H2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)loop->head_limit},
    };
    return !nc_h2_lib.submit_settings(http2, 0, settings, sizeof settings / sizeof *settings)
        && !nc_h2_lib.session_set_local_window_size(http2, 0, 0, CONNECTION_WINDOW);
}

static void discard(nc_session *session) {
    if (session->http2) nc_h2_lib.session_del(session->http2);
    free(session->out);
    free(session->line);
    free(session);
}

nc_session *nc_session_make(nc_transfer *connection) {
    nc_loop *loop = connection->loop;
    if (!loop->scratch) loop->scratch = malloc(READ_SIZE);
    nc_session *session = loop->scratch ? calloc(1, sizeof *session) : NULL;
    if (!session) return NULL;
    session->loop = loop;
    session->connection = connection;
    session->fd = nc_info_socket(connection->easy);
    session->last_stream = INT32_MAX;
    session->idle_since = session->idle_frames_since = loop->now;
    nc_transfer_metrics(connection, &session->metrics);
    if (session->fd < 0 || !speak(session) || nc_interest_watch(loop, session->fd, NC_POLL_IN) < 0) {
        discard(session);
        return NULL;
    }
    nc_interest_link(loop, session->fd, connection);
    nc_loop_has_chosen(loop, connection);
    connection->carries = session;
    connection->owner = NULL;
    session->next = loop->sessions;
    if (loop->sessions) loop->sessions->previous = session;
    loop->sessions = session;
    loop->session_count++;
    loop->has_other_limits = 1;
    nc_session_note(session);
    // After the first read, libcurl neither gives the connection to another transfer nor closes it as idle.
    receive(session);
    return session;
}

void nc_session_free(nc_session *session) {
    nc_loop *loop = session->loop;
    while (session->streams) nc_stream_finish(session->streams, NC_HTTP2_CLOSED, 0);
    loop->handlers.ended(loop->context, session);
    if (session->previous) session->previous->next = session->next;
    else loop->sessions = session->next;
    if (session->next) session->next->previous = session->previous;
    for (nc_session **link = &loop->first_dirty; *link; link = &(*link)->next_dirty) {
        if (*link != session) continue;
        *link = session->next_dirty;
        break;
    }
    nc_transfer *connection = session->connection;
    discard(session);
    connection->carries = NULL;
    // libcurl closes the connection with its transfer.
    loop->session_count--;
    loop->has_other_limits = 1;
    nc_loop_remove(loop, connection);
    nc_transfer_free(connection);
}

int nc_session_limit(const nc_session *session) {
    // Before the server's settings, libnghttp2 allows a hundred.
    uint32_t most = nc_h2_lib.session_get_remote_settings(session->http2, NC_H2_SETTINGS_MAX_CONCURRENT_STREAMS);
    return most > INT32_MAX ? INT32_MAX : (int)most;
}

int nc_session_room(const nc_session *session) {
    if (session->is_draining || session->is_lost) return 0;
    if (!session->is_settled) return session->stream_count == 0;
    int most = nc_session_limit(session);
    return most > session->stream_count ? most - session->stream_count : 0;
}

void nc_session_note(nc_session *session) {
    if (session->is_dirty) return;
    session->is_dirty = 1;
    session->next_dirty = session->loop->first_dirty;
    session->loop->first_dirty = session;
}

// MARK: Bytes

static void lose(nc_session *session, int result) {
    session->is_lost = session->is_draining = 1;
    session->reads_on = 0;
    session->lost_errno = result ? (int)nc_info_long(session->connection->easy, NC_INFO_OS_ERRNO) : 0;
    const char *text = session->connection->error;
    if (!result) text = "The server closed the connection.";
    else if (!*text) text = nc_error_text(result);
    strncpy(session->lost_reason, text, sizeof session->lost_reason - 1);
}

static void receive(nc_session *session) {
    uint8_t *buffer = session->loop->scratch;
    size_t total = 0;
    session->reads_on = 0;
    while (!session->is_lost && !session->own_code) {
        // TLS may hold bytes that the socket no longer reports.
        if (total >= BYTES_PER_TURN) {
            session->reads_on = 1;
            return;
        }
        size_t count;
        int result = nc_receive(session->connection->easy, buffer, READ_SIZE, &count);
        if (result == NC_E_AGAIN) return;
        if (result || !count) return lose(session, result);
        total += count;
        // Otherwise libnghttp2 waits for the rest of a frame of that size, and the end of the connection hides the reason.
        if (!session->is_settled && count >= 5 && !memcmp(buffer, "HTTP/", 5)) {
            session->own_code = NC_H2_PROTOCOL_ERROR;
            return;
        }
        ssize_t taken = nc_h2_lib.session_mem_recv(session->http2, buffer, count);
        if (taken >= 0) continue;
        session->own_code = taken == NC_H2_ERR_NOMEM ? NC_H2_INTERNAL_ERROR
            : taken == NC_H2_ERR_FLOODED || taken == NC_H2_ERR_TOO_MANY_CONTINUATIONS ? NC_H2_ENHANCE_YOUR_CALM
                                                                                      : NC_H2_PROTOCOL_ERROR;
        nc_h2_lib.session_terminate_session(session->http2, session->own_code);
    }
}

/// Collects frames for one write. Returns false if there are none.
static bool gather(nc_session *session) {
    session->out_length = session->out_offset = 0;
    while (session->out_length < WRITE_SIZE) {
        const uint8_t *bytes;
        ssize_t count = nc_h2_lib.session_mem_send(session->http2, &bytes);
        if (count <= 0) break;
        size_t needed = session->out_length + (size_t)count;
        if (needed > session->out_capacity) {
            size_t capacity = session->out_capacity ? session->out_capacity : 4096;
            while (capacity < needed) capacity *= 2;
            uint8_t *larger = realloc(session->out, capacity);
            if (!larger) {
                session->own_code = NC_H2_INTERNAL_ERROR;
                return false;
            }
            session->out = larger;
            session->out_capacity = capacity;
        }
        memcpy(session->out + session->out_length, bytes, (size_t)count);
        session->out_length = needed;
    }
    return session->out_length > 0;
}

static void send_out(nc_session *session) {
    session->waits_to_write = 0;
    while (!session->is_lost) {
        if (session->out_offset == session->out_length && !gather(session)) return;
        size_t count;
        int result = nc_send(
            session->connection->easy, session->out + session->out_offset, session->out_length - session->out_offset,
            &count);
        if (result == NC_E_AGAIN) {
            session->waits_to_write = 1;
            return;
        }
        if (result) {
            // A server that closes the connection sends the reason first.
            receive(session);
            if (!session->is_lost) lose(session, result);
            return;
        }
        session->out_offset += count;
    }
}

void nc_session_ready(nc_session *session) {
    session->reads_on = 1;
    nc_session_note(session);
}

// MARK: Turns

/// Ends a stream with its connection.
static void end_stream(nc_session *session, nc_transfer *transfer) {
    if (nc_stream_is_whole(transfer)) return nc_stream_finish(transfer, NC_HTTP2_WHOLE, 0);
    bool is_processed = transfer->is_sent && transfer->stream <= session->last_stream;
    if (is_processed && session->own_code) {
        return nc_stream_finish(transfer, NC_HTTP2_VIOLATION, session->own_code);
    }
    transfer->failure_errno = session->lost_errno;
    memcpy(transfer->error, session->lost_reason, sizeof transfer->error);
    if (!is_processed) return nc_stream_finish(transfer, NC_HTTP2_UNPROCESSED, session->peer_code);
    nc_stream_finish(transfer, NC_HTTP2_CLOSED, session->peer_code);
}

/// Whether the session must be closed.
static bool is_over(nc_session *session) {
    if (session->is_lost || session->own_code) return true;
    if (session->stream_count) return false;
    // A session without settings is not kept idle, since other exchanges would wait for them.
    if (session->is_draining || !session->is_settled || session->loop->idle_sessions <= 0) return true;
    return !nc_h2_lib.session_want_read(session->http2) && !nc_h2_lib.session_want_write(session->http2);
}

static void close_session(nc_session *session) {
    while (session->streams) end_stream(session, session->streams);
    if (!session->is_lost) {
        // As far as the socket accepts it at once.
        if (!session->own_code) nc_h2_lib.session_terminate_session(session->http2, NC_H2_NO_ERROR);
        send_out(session);
    }
    nc_session_free(session);
}

/// Closes the oldest idle connections above the limit.
static void thin_out(nc_loop *loop) {
    while (true) {
        int count = 0;
        nc_session *oldest = NULL;
        for (nc_session *session = loop->sessions; session; session = session->next) {
            if (session->stream_count) continue;
            count++;
            if (!oldest || session->idle_since < oldest->idle_since) oldest = session;
        }
        if (count <= loop->idle_sessions || !oldest) return;
        close_session(oldest);
    }
}

bool nc_sessions_serve(nc_loop *loop) {
    nc_session *session = loop->first_dirty;
    loop->first_dirty = NULL;
    bool became_idle = false, has_news = false;
    while (session) {
        nc_session *next = session->next_dirty;
        session->is_dirty = 0;
        bool was_settled = session->is_settled;
        if (session->reads_on) receive(session);
        if (session->is_settled != was_settled) has_news = true;
        // Also after an error of the peer, to send it a GOAWAY.
        send_out(session);
        if (is_over(session)) {
            close_session(session);
            has_news = true;
        } else {
            if (!session->stream_count) became_idle = true;
            if (session->reads_on) nc_session_note(session);
            nc_interest_watch(loop, session->fd, NC_POLL_IN | (session->waits_to_write ? NC_POLL_OUT : 0));
        }
        session = next;
    }
    if (became_idle) {
        thin_out(loop);
        if (!loop->session_due) loop->session_due = loop->now + idle_limit;
    }
    return loop->first_dirty != NULL || has_news;
}

void nc_sessions_tick(nc_loop *loop) {
    if (!loop->session_due || loop->now < loop->session_due) return;
    loop->session_due = 0;
    int64_t due = 0;
    for (nc_session *next, *session = loop->sessions; session; session = next) {
        next = session->next;
        if (!session->stream_count) {
            int64_t end = session->idle_since + idle_limit;
            if (loop->now >= end) {
                close_session(session);
                continue;
            }
            if (!due || end < due) due = end;
        }
        for (nc_transfer *transfer = session->streams; transfer; transfer = transfer->next_stream) {
            if (!transfer->continue_due) continue;
            if (loop->now >= transfer->continue_due) {
                // The server ignores `Expect`.
                transfer->awaits_continue = 0;
                transfer->continue_due = 0;
                nc_session_go_on(transfer);
            } else if (!due || transfer->continue_due < due) {
                due = transfer->continue_due;
            }
        }
    }
    if (due && (!loop->session_due || due < loop->session_due)) loop->session_due = due;
}

#else
typedef int nc_unused_http2_session;
#endif
