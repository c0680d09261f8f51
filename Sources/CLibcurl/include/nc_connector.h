// Opens connections by libcurl, through proxies too, and hands over their descriptors. libcurl sends no request on them.
#ifndef NC_CONNECTOR_H
#define NC_CONNECTOR_H

#include "nc_curl.h"

#pragma clang assume_nonnull begin

typedef struct nc_connector nc_connector;

/// One connection that is being opened.
typedef struct nc_opening {
    nc_easy *easy;
    nc_connector *connector;
    /// Swift's object, for the handlers.
    void *owner;
    nc_slist *_Nullable addresses;
    /// `AF_INET` or `AF_INET6` if the connection may use only that; otherwise 0.
    int family;
    /// Whether `nc_connector_handlers.allows` is asked about each address.
    int checks_addresses;
    /// Whether `nc_connector_handlers.opens` is called.
    int tells_steps;
    /// The number of sockets that were opened, and the errno of the last one that could not be.
    int opened_count, open_errno;
    int address_refused, family_refused, look_up_refused;
    char error[NC_ERROR_SIZE];
} nc_opening;

/// The functions of Swift that are called on the connecting thread.
typedef struct nc_connector_handlers {
    /// Whether a connection to the address, of 4 or 16 bytes, is allowed.
    int (*allows)(void *owner, const uint8_t *address, size_t length);
    /// A socket is opened for the address; there are several if the first does not answer.
    void (*opens)(void *owner, const char *address, int port, int is_first);
} nc_connector_handlers;

/// One end of a connection. The address is empty for a Unix-domain socket.
typedef struct nc_endpoint {
    char address[46];
    int port;
} nc_endpoint;

/// Only after a successful `nc_load`. Returns NULL, with errno, if a descriptor or memory is missing.
nc_connector *_Nullable nc_connector_make(nc_connector_handlers handlers);
/// Free all openings before.
void nc_connector_free(nc_connector *connector);
/// Any thread. Ends the current or the next wait.
void nc_connector_wake(nc_connector *connector);
/// Waits until there is something to do, at most until a time of `nc_clock`, and does it.
void nc_connector_wait(nc_connector *connector, int64_t until);
/// Returns the next opening that ended, with libcurl's result: 0, or why it failed.
nc_opening *_Nullable nc_connector_next(nc_connector *connector, int *result);

/// Whether an attempt ends without waiting for the look-up of its name, as since libcurl 7.87. Only after a successful `nc_load`.
int nc_abandons_lookups(void);

/// Returns a cache of looked-up names for `CURLOPT_SHARE`, or NULL if memory ran out.
nc_names *_Nullable nc_names_make(void);
/// Free all openings that share it before.
void nc_names_free(nc_names *names);

/// Returns NULL if memory ran out.
nc_opening *_Nullable nc_opening_make(nc_connector *connector, void *owner);
/// Sets `CURLOPT_RESOLVE` once, and takes the list over. `forbids_look_up` makes a name that is not in the list an error.
void nc_opening_resolve(nc_opening *opening, nc_slist *list, int forbids_look_up);
/// Returns libcurl's result (`CURLMcode`).
int nc_opening_start(nc_opening *opening);
/// Returns a duplicate of the open connection's descriptor and the ends of the connection, or -1 with errno.
int nc_opening_take(nc_opening *opening, nc_endpoint *local, nc_endpoint *remote);
/// Ends it, at any time, and closes what was not taken.
void nc_opening_free(nc_opening *opening);

/// Makes both ends of a socket pair close-on-exec, given one of them.
void nc_seal_pair(int fd);

#pragma clang assume_nonnull end

#endif
