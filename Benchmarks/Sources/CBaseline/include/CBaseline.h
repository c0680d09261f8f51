// What a C program gets out of the libcurl of this machine: the yardstick for the Swift clients.
#ifndef CBASELINE_H
#define CBASELINE_H

#include <stdint.h>

typedef struct {
    uint64_t requests;
    double seconds;
    double cpu_seconds;
    char error[256];  // empty if all went well
} cbaseline_result;

// Keeps `concurrent` GETs of `url` going, through one multi handle on this thread. After `warm_up` seconds it counts for
// `seconds`. Each response has to be a 200 with `expected` bytes. `ca` is a PEM file or NULL. Returns 0, or 1 with `error`.
int cbaseline_requests(const char *url, const char *ca, int64_t expected, int concurrent, double warm_up, double seconds,
                       cbaseline_result *result);

// One GET, written to `descriptor` as it comes. Returns 0, or 1 with `error`.
int cbaseline_download(const char *url, const char *ca, int64_t expected, int descriptor, cbaseline_result *result);

// As curl_version() has it, or what the loader said.
const char *cbaseline_version(void);

#endif
