#include "connection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

an_connection *an_connection_new(void) {
    pthread_once(&once, initialise);
    an_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->multi = curl_multi_init();
    connection->easy = curl_easy_init();
    return connection;
}

void an_connection_free(an_connection *connection) {
    if (!connection) return;
    an_end(connection);
    curl_easy_cleanup(connection->easy);
    curl_multi_cleanup(connection->multi);
    curl_slist_free_all(connection->headers);
    free(connection);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    an_connection *connection = context;
    int answer = connection->callbacks.write(connection->callbacks.context, (const uint8_t *)bytes, size * count);
    if (answer == AN_PAUSE) return CURL_WRITEFUNC_PAUSE;
    return answer == 0 ? size * count : 0;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context) {
    an_connection *connection = context;
    int answer = connection->callbacks.header(connection->callbacks.context, (const uint8_t *)bytes, size * count);
    return answer == 0 ? size * count : 0;
}

static size_t on_read(char *buffer, size_t size, size_t count, void *context) {
    an_connection *connection = context;
    long answer = connection->callbacks.read(connection->callbacks.context, (uint8_t *)buffer, size * count);
    if (answer == AN_PAUSE) return CURL_READFUNC_PAUSE;
    return answer < 0 ? CURL_READFUNC_ABORT : (size_t)answer;
}

static int on_seek(void *context, curl_off_t offset, int origin) {
    an_connection *connection = context;
    if (offset != 0 || origin != SEEK_SET) return CURL_SEEKFUNC_FAIL;
    return connection->callbacks.rewind(connection->callbacks.context) == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

static int on_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t to_send, curl_off_t sent) {
    an_connection *connection = context;
    return connection->callbacks.progress(connection->callbacks.context, sent) == 0 ? 0 : 1;
}

/// Not for the processes that a test starts meanwhile: with a copy of it there, the server would see no end.
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static void set_body(CURL *easy, const an_request *request) {
    if (!strcmp(request->method, "HEAD")) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else if (request->has_body) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body_length);
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    } else if (strcmp(request->method, "GET")) {
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    }
}

static void set_logins(CURL *easy, const an_request *request) {
    // Nobody reads the environment here: without a proxy there is none.
    curl_easy_setopt(easy, CURLOPT_PROXY, request->proxy ? request->proxy : "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, request->no_proxy ? request->no_proxy : "");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (request->proxy_user) {
        curl_easy_setopt(easy, CURLOPT_PROXYUSERNAME, request->proxy_user);
        curl_easy_setopt(easy, CURLOPT_PROXYPASSWORD, request->proxy_password);
        curl_easy_setopt(easy, CURLOPT_PROXYAUTH, request->proxy_digest ? CURLAUTH_DIGEST : CURLAUTH_BASIC);
    }
    if (request->digest_user) {
        curl_easy_setopt(easy, CURLOPT_USERNAME, request->digest_user);
        curl_easy_setopt(easy, CURLOPT_PASSWORD, request->digest_password);
        curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_DIGEST);
    }
}

bool an_begin(an_connection *connection, const an_request *request, const an_callbacks *callbacks) {
    an_end(connection);
    CURL *easy = connection->easy;
    curl_easy_reset(easy);
    connection->callbacks = *callbacks;
    connection->code = CURLE_OK;
    connection->text[0] = 0;
    connection->oldest_tls = request->oldest_tls;
    connection->newest_tls = request->newest_tls;
    curl_slist_free_all(connection->headers);
    connection->headers = NULL;
    for (size_t index = 0; index < request->header_count; index++)
        connection->headers = curl_slist_append(connection->headers, request->headers[index]);

    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, connection->text);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, connection->headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, connection);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, connection);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, connection);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, connection);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, connection);
    // The caller judges the certificates, name and all; a resumed session would not show them.
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, an_prepare_tls);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, connection);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (request->connects_only) {
        curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
        curl_easy_setopt(easy, CURLOPT_SSL_ENABLE_ALPN, 0L);
        curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    } else {
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
        set_body(easy, request);
    }
    set_logins(easy, request);
    if (curl_easy_setopt(easy, CURLOPT_URL, request->url) != CURLE_OK) return false;
    connection->is_running = curl_multi_add_handle(connection->multi, easy) == CURLM_OK;
    return connection->is_running;
}

bool an_step(an_connection *connection, int milliseconds) {
    int running = 0, left = 0;
    if (curl_multi_perform(connection->multi, &running) != CURLM_OK) {
        connection->code = CURLE_FAILED_INIT;
        return true;
    }
    CURLMsg *message;
    while ((message = curl_multi_info_read(connection->multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            connection->code = message->data.result;
            return true;
        }
    curl_multi_poll(connection->multi, NULL, 0, milliseconds, NULL);
    return false;
}

void an_unpause(an_connection *connection) { curl_easy_pause(connection->easy, CURLPAUSE_CONT); }

void an_wake(an_connection *connection) { curl_multi_wakeup(connection->multi); }

void an_end(an_connection *connection) {
    if (!connection->is_running) return;
    curl_multi_remove_handle(connection->multi, connection->easy);
    connection->is_running = false;
}

void an_result_of(an_connection *connection, an_result *result) {
    CURL *easy = connection->easy;
    long version = 0, connects = 0, offers = 0, error = 0;
    memset(result, 0, sizeof *result);
    result->code = connection->code;
    result->text = connection->text[0] ? connection->text : curl_easy_strerror(connection->code);
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &result->connect_status);
    curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
    curl_easy_getinfo(easy, CURLINFO_PROXYAUTH_AVAIL, &offers);
    curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &result->name_lookup);
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &result->connect);
    curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &result->secure_connect);
    curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &result->before_transfer);
    curl_easy_getinfo(easy, CURLINFO_STARTTRANSFER_TIME_T, &result->first_byte);
    curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &result->total);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &result->received);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &result->remote_address);
    curl_easy_getinfo(easy, CURLINFO_LOCAL_IP, &result->local_address);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &result->remote_port);
    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &result->local_port);
    result->os_error = (int)error;
    result->is_reused = connects == 0;
    result->proxy_offers_digest = offers & CURLAUTH_DIGEST;
    switch (version) {
        case CURL_HTTP_VERSION_1_0: result->http_version = 10; break;
        case CURL_HTTP_VERSION_1_1: result->http_version = 11; break;
        case CURL_HTTP_VERSION_2_0: result->http_version = 2; break;
    }
}

long an_send(an_connection *connection, const uint8_t *bytes, size_t count) {
    size_t sent = 0;
    CURLcode code = curl_easy_send(connection->easy, bytes, count, &sent);
    if (code == CURLE_AGAIN) return AN_PAUSE;
    return code == CURLE_OK ? (long)sent : AN_ABORT;
}

long an_receive(an_connection *connection, uint8_t *buffer, size_t size) {
    size_t received = 0;
    CURLcode code = curl_easy_recv(connection->easy, buffer, size, &received);
    if (code == CURLE_AGAIN) return AN_PAUSE;
    return code == CURLE_OK ? (long)received : AN_ABORT;
}

void an_wait(an_connection *connection, bool for_sending, int milliseconds) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(connection->easy, CURLINFO_ACTIVESOCKET, &socket);
    struct curl_waitfd descriptor = {
        .fd = socket, .events = CURL_WAIT_POLLIN | (for_sending ? CURL_WAIT_POLLOUT : 0)};
    curl_multi_poll(connection->multi, &descriptor, socket == CURL_SOCKET_BAD ? 0 : 1, milliseconds, NULL);
}
