// One transfer: an easy handle, and the response that it collects. It is used again for later requests.
#ifndef NC_TRANSFER_H
#define NC_TRANSFER_H

#include "nc_abi.h"
#include "nc_request.h"

/// Why a callback ended a transfer.
typedef enum nc_failure {
    NC_FAILURE_NONE,
    NC_FAILURE_HEAD_TOO_LARGE,
    NC_FAILURE_CONFLICTING_LENGTHS,
    NC_FAILURE_INVALID_LENGTH,
    NC_FAILURE_COLLECT_LIMIT,
    NC_FAILURE_TRANSFER_CODING,
    NC_FAILURE_BODY_SHORT,
    NC_FAILURE_BODY_READ,
    NC_FAILURE_BODY_STREAM,
    NC_FAILURE_TRUST,
    // libcurl was about to send the request again by itself.
    NC_FAILURE_RESENDING,
    NC_FAILURE_MEMORY,
    // libcurl chose a connection that is about to be taken over for another transfer.
    NC_FAILURE_TAKEN,
    // The connection needs a look-up that the loop's resolver makes.
    NC_FAILURE_LOOK_UP,
    // HTTP/2 is required, and the server chose HTTP/1.1.
    NC_FAILURE_NO_HTTP2,
} nc_failure;

typedef enum nc_upload {
    NC_UPLOAD_NONE,
    NC_UPLOAD_MEMORY,
    NC_UPLOAD_FILE,
    NC_UPLOAD_STREAM,
} nc_upload;

/// How an HTTP/2 stream ended.
typedef enum nc_http2_end {
    /// Its response is complete.
    NC_HTTP2_WHOLE,
    /// The server reset it.
    NC_HTTP2_RESET,
    /// The server said that it did not process it, or it was never sent.
    NC_HTTP2_UNPROCESSED,
    /// The connection ended.
    NC_HTTP2_CLOSED,
    /// The server broke the rules, on this stream or on the connection.
    NC_HTTP2_VIOLATION,
} nc_http2_end;

/// The times (microseconds), sizes (bytes) and peer of a transfer.
typedef struct nc_metrics {
    int64_t name_lookup, connect, secure_connect, request_start, first_byte, total;
    int64_t sent, received;
    long connections, peer_port;
    char peer[48];
} nc_metrics;

struct nc_loop;
struct nc_session;

/// An open connection, on which at least one request was or is about to be sent.
typedef struct nc_connection nc_connection;

/// What OpenSSL says of a connection. The texts are valid as long as the connection is.
typedef struct nc_tls_facts {
    /// `TLSv1.3`; the cipher suite's name in IANA's registry.
    const char *_Nullable version, *_Nullable cipher;
    /// The protocol that ALPN chose, without a zero at the end.
    const char *_Nullable protocol;
    size_t protocol_length;
    int certificates;
} nc_tls_facts;

/// A step of an exchange: see `NetworkEvent.Step`.
typedef enum nc_step {
    NC_STEP_LOOKED_UP,
    NC_STEP_CONNECTING,
    NC_STEP_CONNECTED,
    NC_STEP_SECURED,
    NC_STEP_SENT,
    NC_STEP_FIRST_BYTE,
} nc_step;

enum { NC_OPENED_MAX = 8 };

typedef struct nc_transfer {
    nc_easy *_Nonnull easy;
    struct nc_loop *_Nonnull loop;
    /// The exchange, which the loop retains while the transfer is in use.
    void *_Nullable owner;
    struct nc_transfer *_Nullable next_event;

    // The response.
    uint8_t *_Nullable body;
    size_t body_length, body_capacity, block_hint;
    char *_Nullable head;
    size_t head_length, head_capacity;
    /// The fields after the body.
    char *_Nullable trailers;
    size_t trailers_length, trailers_capacity;
    /// The bytes of all heads, also of interim ones (1xx), and of the trailers, and their limit.
    size_t head_total, head_limit;
    int64_t collect_limit, delivered;
    /// Streaming: the bytes that the reader has not taken yet, and the number at which the server has to wait.
    size_t outstanding, high_water;
    int64_t content_length;
    int status, version;
    nc_connection *_Nullable connection;

    // The request's body.
    nc_upload upload;
    int upload_fd;
    const uint8_t *_Nullable upload_bytes;
    int64_t upload_base, upload_length, upload_offset;

    /// When a byte was last sent or received, of the loop's clock; 0 while the transfer waits for a connection.
    int64_t last_activity;
    /// The last sockets that were opened for it, and the number of all.
    int opened[NC_OPENED_MAX];
    int opened_count;
    /// Whether its proxy is reached over TLS; and `opened_count` at its last handshake, the first of which is then the proxy's.
    int has_tls_proxy, secured_count;
    int failure_errno;
    /// Why a socket could not be opened; 0 if none failed.
    int open_errno;
    /// The socket that libcurl waits for; -1 for none.
    int watched_fd;
    nc_failure failure;

    // As an HTTP/2 stream.
    /// The session that carries it, until it ends.
    struct nc_session *_Nullable session;
    struct nc_transfer *_Nullable next_stream, *_Nullable previous_stream, *_Nullable next_done;
    /// The session that took over the connection of this transfer.
    struct nc_session *_Nullable carries;
    int32_t stream;
    nc_http2_end http2_end;
    uint32_t http2_code;
    /// The bytes of the body that were not returned to the stream's window, and the bytes received since the window last grew.
    size_t unconsumed, since_growth;
    /// The growth of its window for a fast reader, which is part of the session's `grown`.
    int32_t grown;
    int64_t began, submitted, first_byte_at, ended, continue_due;
    nc_metrics base;
    /// The addresses of its host, as set by `nc_transfer_resolve`, and the microseconds that their look-up took.
    nc_slist *_Nullable addresses;
    int64_t look_up_time;
    int empty_frames;

    unsigned has_event : 1, wants_events : 1, streams : 1;
    unsigned in_head : 1, head_done : 1, head_held : 1, expects_continue : 1;
    unsigned is_encoded : 1, decodes : 1, is_chunked : 1, is_head_request : 1;
    /// `body` is of `nc_block_take`.
    unsigned body_is_block : 1;
    unsigned receive_paused : 1, send_paused : 1;
    /// `request_began`: there is a connection, and the request is about to be sent on it.
    unsigned request_began : 1, asks_trust : 1;
    /// Options were set that a plain GET does not overwrite.
    unsigned needs_reset : 1;
    /// An address was not allowed.
    unsigned address_refused : 1;
    /// An address was of the other family.
    unsigned family_refused : 1;
    /// The response is complete with its head, whatever the head says. The rest is not read.
    unsigned ends_with_head : 1;
    /// Whether HTTP/2 may be chosen, whether it was and the connection is to be taken over, and whether the choice is known.
    unsigned offers_http2 : 1, is_taken_over : 1, alpn_known : 1;
    /// Whether only HTTP/2 may be spoken, also without TLS; and whether the connection has TLS.
    unsigned requires_http2 : 1, is_tls : 1;
    /// It is added to the multi handle; its connection may choose HTTP/2.
    unsigned is_added : 1, is_choosing : 1;
    /// It is an HTTP/2 stream; its request's head was written; the peer reset it; its body waits for `100 Continue` or a timeout.
    unsigned is_stream : 1, is_sent : 1, was_reset : 1, awaits_continue : 1;
    /// The whole request body was handed over.
    unsigned is_body_sent : 1;
    /// Whether its observers are told its steps, and which they were told.
    unsigned tells_steps : 1, told_connected : 1, told_sent : 1, told_answered : 1;
    /// It is in the loop's list of streams that ended.
    unsigned is_done : 1;

    char error[NC_ERROR_SIZE];
} nc_transfer;

nc_transfer *_Nullable nc_transfer_make(struct nc_loop *_Nonnull loop);
void nc_transfer_free(nc_transfer *_Nonnull transfer);
/// Clears everything but the easy handle and its options.
void nc_transfer_clear(nc_transfer *_Nonnull transfer);
/// Sets the callbacks of the handle. Returns the first option that failed, or 0.
nc_option nc_transfer_bind(nc_transfer *_Nonnull transfer);
/// Resets all options to libcurl's defaults.
void nc_transfer_reset(nc_transfer *_Nonnull transfer);
/// Sets method, URL, header fields and body. Returns the first option that failed, or 0.
nc_option nc_transfer_prepare(nc_transfer *_Nonnull transfer, const nc_request *_Nonnull request, int is_plain_get);

/// Sets the addresses of the host: an entry for `CURLOPT_RESOLVE`, in libcurl's form. `-host:port` has libcurl forget earlier ones, so that a
/// new connection ends with `NC_FAILURE_LOOK_UP`. Returns the first option that failed, or 0.
nc_option nc_transfer_resolve(nc_transfer *_Nonnull transfer, const char *_Nonnull entry);

/// Hands over the memory. The caller frees it, or calls `nc_block_give` if it is a block.
uint8_t *_Nullable nc_transfer_take_body(
    nc_transfer *_Nonnull transfer, size_t *_Nonnull length, int *_Nonnull is_block);
char *_Nullable nc_transfer_take_head(nc_transfer *_Nonnull transfer, size_t *_Nonnull length);

char *_Nullable nc_transfer_take_trailers(nc_transfer *_Nonnull transfer, size_t *_Nonnull length);

/// Returns the object that `nc_handlers.opened` made for the transfer's connection, or NULL if the connection is unknown.
void *_Nullable nc_connection_object(const nc_transfer *_Nonnull transfer);

/// Reads the TLS of a transfer's connection. Returns 0 without TLS, or without OpenSSL.
int nc_tls_read(const nc_transfer *_Nonnull transfer, nc_tls_facts *_Nonnull facts);
/// Writes a certificate of the server as DER, unless `bytes` is NULL. Returns its length, or 0 or less if there is none.
int nc_tls_certificate(const nc_transfer *_Nonnull transfer, int index, uint8_t *_Nullable bytes);

/// Applies the flags of paused directions after a change. Returns libcurl's result.
int nc_transfer_apply_pause(nc_transfer *_Nonnull transfer);

/// Whether the response can have a body (RFC 9112, section 6.3).
int nc_transfer_has_body(const nc_transfer *_Nonnull transfer);

/// Has `nc_loop_next_event` return the transfer at the end of the turn.
void nc_transfer_signal(nc_transfer *_Nonnull transfer);

/// The bytes of the request's body that were sent, and of the response's body that were received.
int64_t nc_transfer_uploaded(const nc_transfer *_Nonnull transfer);
int64_t nc_transfer_downloaded(const nc_transfer *_Nonnull transfer);

void nc_transfer_metrics(nc_transfer *_Nonnull transfer, nc_metrics *_Nonnull metrics);

// MARK: Blocks of memory for streamed bodies

// They are used again: fresh memory of that size comes from the kernel page by page, which costs more than receiving the bytes.

/// Room for the default of `streamBufferBytes` and one more write of libcurl's.
enum { NC_BLOCK_SIZE = 144 * 1024 };

/// Returns a block, or NULL if there is no memory. Any thread.
uint8_t *_Nullable nc_block_take(void);
/// Takes a block back. Any thread.
void nc_block_give(uint8_t *_Nonnull block);

#endif
