// libcurl's functions, found at run time.
#ifndef NC_LOADER_H
#define NC_LOADER_H

#include "nc_abi.h"

/// Loads libcurl once for the process. Thread safe. Nil if it is there, else why not.
const char *_Nullable nc_load(void);

/// `libcurl/7.88.1 OpenSSL/3.0.15 …`. Only after a successful `nc_load`.
const char *_Nonnull nc_version(void);

/// Sets one option. The result is libcurl's: 0, or why the option did not take.
int nc_set_long(nc_easy *_Nonnull easy, nc_option option, long value);
int nc_set_pointer(nc_easy *_Nonnull easy, nc_option option, const void *_Nullable value);
int nc_set_offset(nc_easy *_Nonnull easy, nc_option option, int64_t value);
/// Bytes that stay where they are: they have to outlive the handle's use of them.
int nc_set_blob(nc_easy *_Nonnull easy, nc_option option, const void *_Nonnull bytes, size_t count);

/// Reads one value; 0 or NULL if there is none.
long nc_info_long(nc_easy *_Nonnull easy, nc_info info);
int64_t nc_info_offset(nc_easy *_Nonnull easy, nc_info info);
const char *_Nullable nc_info_string(nc_easy *_Nonnull easy, nc_info info);
const nc_certinfo *_Nullable nc_info_certificates(nc_easy *_Nonnull easy);

/// The socket of a connection that was only opened (`NC_OPT_CONNECT_ONLY`), or -1.
int nc_info_socket(nc_easy *_Nonnull easy);

/// Bytes over a connection that was only opened. libcurl's result: 0, `NC_E_AGAIN` if the socket is not ready, or what went
/// wrong. What was refused with `NC_E_AGAIN` has to be offered again from the same address, as OpenSSL wants it.
int nc_send(nc_easy *_Nonnull easy, const void *_Nonnull bytes, size_t count, size_t *_Nonnull sent);
/// No bytes and no error are the end.
int nc_receive(nc_easy *_Nonnull easy, void *_Nonnull buffer, size_t capacity, size_t *_Nonnull received);

nc_easy *_Nullable nc_easy_make(void);
void nc_easy_free(nc_easy *_Nonnull easy);
const char *_Nonnull nc_error_text(int result);

void nc_list_free(nc_slist *_Nullable list);
/// Appends a copy of the text. NULL if memory ran out, and then the list given is as it was.
nc_slist *_Nullable nc_list_append(nc_slist *_Nullable list, const char *_Nonnull text);

#endif
