#if defined(__linux__)
#include "include/nc_loader.h"

#include "nc_functions.h"

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

nc_easy *nc_easy_make(void) { return nc_curl.easy_init(); }

void nc_easy_free(nc_easy *easy) { nc_curl.easy_cleanup(easy); }

const char *nc_error_text(int result) { return nc_curl.easy_strerror(result); }

void nc_list_free(nc_slist *list) {
    if (list) nc_curl.slist_free_all(list);
}

nc_slist *nc_list_append(nc_slist *list, const char *text) { return nc_curl.slist_append(list, text); }
#else
typedef int nc_unused_options;
#endif
