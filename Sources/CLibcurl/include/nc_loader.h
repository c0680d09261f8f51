// The functions of libcurl, loaded at run time.
#ifndef NC_LOADER_H
#define NC_LOADER_H

#include "nc_abi.h"

/// Loads libcurl once for the process. Thread safe. Returns NULL, or why it cannot be loaded.
const char *_Nullable nc_load(void);

/// `libcurl/7.88.1 OpenSSL/3.0.15 …`. Only after a successful `nc_load`.
const char *_Nonnull nc_version(void);

/// The name of an option, such as `CURLOPT_URL`.
const char *_Nonnull nc_option_name(nc_option option);

/// Sets one option. Returns libcurl's result: 0, or why the option failed.
int nc_set_long(nc_easy *_Nonnull easy, nc_option option, long value);
int nc_set_pointer(nc_easy *_Nonnull easy, nc_option option, const void *_Nullable value);

/// Reads one value. Returns 0 if there is none.
long nc_info_long(nc_easy *_Nonnull easy, nc_info info);
int64_t nc_info_offset(nc_easy *_Nonnull easy, nc_info info);

/// The socket of a connection that was only opened (`NC_OPT_CONNECT_ONLY`), or -1.
int nc_info_socket(nc_easy *_Nonnull easy);

const char *_Nonnull nc_error_text(int result);

void nc_list_free(nc_slist *_Nullable list);
/// Appends a copy of the text. Returns NULL if memory ran out, and leaves the list unchanged.
nc_slist *_Nullable nc_list_append(nc_slist *_Nullable list, const char *_Nonnull text);

#endif
