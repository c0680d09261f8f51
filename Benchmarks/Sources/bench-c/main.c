// What a C program gets out of the libcurl of this machine: the yardstick for the Swift clients. A program of its own, so
// that its memory is what libcurl takes, without Swift's libraries.
//
//   bench-c NAME=VALUE ...
//
// takes the same order as the other workers, a word for each field: see BenchKit/WorkOrder.swift. It keeps as many requests going as the
// order has tasks, through one multi handle on one thread. Every response has to be a 200 of the expected length. Prints what it
// measured as JSON. `bench-c --version` prints the version of libcurl.

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// The part of libcurl's ABI that is needed, so that no header is.
typedef struct curl_easy CURL;
typedef struct curl_multi CURLM;
typedef struct {
    int msg;
    CURL *easy;
    union {
        void *whatever;
        int result;
    } data;
} CURLMsg;

enum {
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_WRITEFUNCTION = 20011,
    OPT_CAINFO = 10065,
    OPT_NOSIGNAL = 99,
    OPT_POSTFIELDS = 10015,
    OPT_POSTFIELDSIZE = 60,
    OPT_PIPEWAIT = 237,
    OPT_PRIVATE = 10103,
    INFO_STARTTRANSFER_TIME = 0x300011,
    INFO_PRIVATE = 0x100015,
    INFO_RESPONSE_CODE = 0x200002,
    MOPT_MAXCONNECTS = 6,
    MSG_DONE = 1,
};

static struct {
    CURL *(*easy_init)(void);
    int (*easy_setopt)(CURL *, int, ...);
    int (*easy_getinfo)(CURL *, int, ...);
    int (*easy_perform)(CURL *);
    void (*easy_cleanup)(CURL *);
    const char *(*easy_strerror)(int);
    CURLM *(*multi_init)(void);
    int (*multi_setopt)(CURLM *, int, ...);
    int (*multi_add_handle)(CURLM *, CURL *);
    int (*multi_remove_handle)(CURLM *, CURL *);
    int (*multi_perform)(CURLM *, int *);
    int (*multi_poll)(CURLM *, void *, unsigned, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    int (*multi_cleanup)(CURLM *);
    int (*global_init)(long);
    const char *(*version)(void);
} curl;

static const char *load(void) {
    static bool loaded;
    if (loaded) return NULL;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libcurl.4.dylib", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define FIND(name) \
    if (!(*(void **)&curl.name = dlsym(library, "curl_" #name))) return "libcurl lacks curl_" #name
    FIND(easy_init);
    FIND(easy_setopt);
    FIND(easy_getinfo);
    FIND(easy_perform);
    FIND(easy_cleanup);
    FIND(easy_strerror);
    FIND(multi_init);
    FIND(multi_setopt);
    FIND(multi_add_handle);
    FIND(multi_remove_handle);
    FIND(multi_perform);
    FIND(multi_poll);
    FIND(multi_info_read);
    FIND(multi_cleanup);
    FIND(global_init);
    FIND(version);
#undef FIND
    if (curl.global_init(3) != 0) return "curl_global_init failed";
    loaded = true;
    return NULL;
}

// The fields of the order that this program knows.
static struct {
    const char *url, *authority, *work, *output;
    int64_t length;
    int tasks, time_limit;
    int64_t requests;
    size_t upload;
    double warm_up, seconds;
    bool http2;
    // The body of an upload.
    char *body;
} order = {.work = "requests", .output = "", .tasks = 1};

typedef struct {
    uint64_t requests;
    double seconds;
    double cpu_seconds;
    // From the start of each transfer to its first byte, in seconds; NULL if nothing asks for them.
    double *latencies;
    size_t latency_capacity;
    char error[256];
} measurement;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int fail(measurement *result, const char *message) {
    snprintf(result->error, sizeof result->error, "%s", message);
    return 1;
}

// A body gathered in memory, as a program would that wants to use it.
typedef struct {
    char *bytes;
    size_t count, capacity;
} body;

static size_t gather(char *bytes, size_t size, size_t items, void *context) {
    body *body = context;
    size_t count = size * items;
    if (body->count + count > body->capacity) {
        size_t capacity = (body->count + count) * 2;
        char *grown = realloc(body->bytes, capacity);
        if (!grown) return 0;
        body->bytes = grown;
        body->capacity = capacity;
    }
    memcpy(body->bytes + body->count, bytes, count);
    body->count += count;
    return count;
}

static CURL *new_transfer(void) {
    CURL *easy = curl.easy_init();
    if (!easy) return NULL;
    bool ok = curl.easy_setopt(easy, OPT_URL, order.url) == 0 && curl.easy_setopt(easy, OPT_NOSIGNAL, 1L) == 0
        && curl.easy_setopt(easy, OPT_CAINFO, order.authority) == 0;
    // Otherwise each transfer that finds no finished connection opens one of its own.
    if (ok && order.http2) ok = curl.easy_setopt(easy, OPT_PIPEWAIT, 1L) == 0;
    if (ok && order.upload > 0) {
        ok = curl.easy_setopt(easy, OPT_POSTFIELDS, order.body) == 0
            && curl.easy_setopt(easy, OPT_POSTFIELDSIZE, (long)order.upload) == 0;
    }
    if (ok) return easy;
    curl.easy_cleanup(easy);
    return NULL;
}

// The transfer's status and length, against what they have to be. NULL if right.
static const char *check(CURL *easy, int code, int64_t count) {
    long status = 0;
    if (code != 0) return curl.easy_strerror(code);
    curl.easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
    if (status != 200) return "a status other than 200";
    return count == order.length ? NULL : "a body of the wrong length";
}

// Keeps the time that a transfer took to its first byte.
static bool note_latency(CURL *easy, size_t index, measurement *result) {
    if (!result->latencies) return true;
    if (index == result->latency_capacity) {
        double *grown = realloc(result->latencies, 2 * index * sizeof *grown);
        if (!grown) return false;
        result->latencies = grown;
        result->latency_capacity = 2 * index;
    }
    return curl.easy_getinfo(easy, INFO_STARTTRANSFER_TIME, &result->latencies[index]) == 0;
}

// Runs all transfers, each starting again when it ends: until `deadline`, or for as many requests as the order has. Returns the number
// of responses, or -1.
static int64_t run(CURLM *multi, CURL **easy, double deadline, measurement *result) {
    int64_t done = 0, started = order.tasks;
    int running = order.tasks, left;
    for (int i = 0; i < order.tasks; i++) curl.multi_add_handle(multi, easy[i]);
    for (int open = order.tasks; open > 0;) {
        curl.multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl.multi_info_read(multi, &left));) {
            if (message->msg != MSG_DONE) continue;
            CURL *finished = message->easy;
            body *received = NULL;
            curl.easy_getinfo(finished, INFO_PRIVATE, &received);
            const char *error = check(finished, message->data.result, (int64_t)received->count);
            if (!error && !note_latency(finished, (size_t)done, result)) error = "out of memory";
            if (error) {
                fail(result, error);
                return -1;
            }
            done++;
            received->count = 0;
            curl.multi_remove_handle(multi, finished);
            if (order.requests > 0 ? started < order.requests : now() < deadline) {
                started++;
                curl.multi_add_handle(multi, finished);
            } else {
                open--;
            }
        }
        if (open > 0) curl.multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return done;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static int measure_requests(measurement *result) {
    CURLM *multi = curl.multi_init();
    size_t tasks = (size_t)order.tasks;
    CURL **easy = calloc(tasks, sizeof *easy);
    body *bodies = calloc(tasks, sizeof *bodies);
    if (!multi || !easy || !bodies) return fail(result, "out of memory");
    curl.multi_setopt(multi, MOPT_MAXCONNECTS, (long)tasks + 1);
    for (size_t i = 0; i < tasks; i++) {
        if (!(easy[i] = new_transfer())) return fail(result, "a transfer cannot be set up");
        curl.easy_setopt(easy[i], OPT_WRITEFUNCTION, gather);
        curl.easy_setopt(easy[i], OPT_WRITEDATA, &bodies[i]);
        curl.easy_setopt(easy[i], OPT_PRIVATE, &bodies[i]);
    }
    if (order.requests == 0 && run(multi, easy, now() + order.warm_up, result) < 0) return 1;
    if (strcmp(order.work, "firstByte") == 0) {
        result->latency_capacity = 1 << 16;
        if (!(result->latencies = calloc(result->latency_capacity, sizeof(double)))) return fail(result, "out of memory");
    }
    double began = now(), cpu_began = cpu();
    int64_t done = run(multi, easy, began + order.seconds, result);
    if (done < 0) return 1;
    result->requests = (uint64_t)done;
    result->seconds = now() - began;
    result->cpu_seconds = cpu() - cpu_began;
    for (size_t i = 0; i < tasks; i++) {
        curl.easy_cleanup(easy[i]);
        free(bodies[i].bytes);
    }
    curl.multi_cleanup(multi);
    free(easy);
    free(bodies);
    return 0;
}

typedef struct {
    int descriptor;
    int64_t count;
} file;

static size_t store(char *bytes, size_t size, size_t items, void *context) {
    file *file = context;
    size_t count = size * items, written = 0;
    while (written < count) {
        ssize_t part = write(file->descriptor, bytes + written, count - written);
        if (part < 0) return 0;
        written += (size_t)part;
    }
    file->count += (int64_t)count;
    return count;
}

static int measure_download(int descriptor, measurement *result) {
    CURL *easy = new_transfer();
    if (!easy) return fail(result, "the transfer cannot be set up");
    file file = {.descriptor = descriptor};
    curl.easy_setopt(easy, OPT_WRITEFUNCTION, store);
    curl.easy_setopt(easy, OPT_WRITEDATA, &file);
    double began = now(), cpu_began = cpu();
    int code = curl.easy_perform(easy);
    result->requests = 1;
    result->seconds = now() - began;
    result->cpu_seconds = cpu() - cpu_began;
    const char *error = check(easy, code, file.count);
    if (error) fail(result, error);
    curl.easy_cleanup(easy);
    return error ? 1 : 0;
}

// The most memory that was resident, in bytes.
static long peak_bytes(void) {
    char line[256];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    }
    if (status) fclose(status);
    return kilobytes * 1024;
}

// One word of the command line. Fields that this program does not know are of no concern to it.
static void read_word(const char *word) {
    const char *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : 0;
    if (!value++) return;
#define IS(name) (length == sizeof name - 1 && memcmp(word, name, length) == 0)
    if (IS("url")) order.url = value;
    if (IS("authority")) order.authority = value;
    if (IS("work")) order.work = value;
    if (IS("output")) order.output = value;
    if (IS("expectedLength")) order.length = strtoll(value, NULL, 10);
    if (IS("tasks")) order.tasks = atoi(value);
    if (IS("timeLimit")) order.time_limit = atoi(value);
    if (IS("requests")) order.requests = strtoll(value, NULL, 10);
    if (IS("isHTTP2")) order.http2 = atoi(value) != 0;
    if (IS("upload")) order.upload = (size_t)strtoull(value, NULL, 10);
    if (IS("warmUp")) order.warm_up = atof(value);
    if (IS("seconds")) order.seconds = atof(value);
#undef IS
}

int main(int count, char **arguments) {
    const char *error = load();
    if (error) {
        fprintf(stderr, "bench-c: %s\n", error);
        return 1;
    }
    if (count == 2 && strcmp(arguments[1], "--version") == 0) return puts(curl.version()) < 0;
    for (int i = 1; i < count; i++) read_word(arguments[i]);
    if (!order.url || !order.authority || order.tasks < 1 || !(order.body = calloc(1, order.upload + 1))) {
        fprintf(stderr, "usage: bench-c url=URL authority=FILE expectedLength=BYTES ...\n");
        return 2;
    }
    measurement result = {0};
    alarm((unsigned)order.time_limit);
    int status;
    if (strcmp(order.work, "download") == 0) {
        int descriptor = open(order.output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (descriptor < 0) {
            perror(order.output);
            return 1;
        }
        status = measure_download(descriptor, &result);
        close(descriptor);
    } else {
        status = measure_requests(&result);
    }
    if (status != 0) {
        fprintf(stderr, "bench-c: %s\n", result.error);
        return 1;
    }
    printf("{\"requests\":%" PRIu64 ",\"seconds\":%f,\"cpuSeconds\":%f,\"peakBytes\":%ld", result.requests, result.seconds,
           result.cpu_seconds, peak_bytes());
    if (result.latencies && result.requests > 0) {
        qsort(result.latencies, result.requests, sizeof(double), ascending);
        printf(",\"latency\":{\"medianMicroseconds\":%f,\"p99Microseconds\":%f}",
               result.latencies[result.requests / 2] * 1e6, result.latencies[result.requests * 99 / 100] * 1e6);
    }
    puts("}");
    return 0;
}
