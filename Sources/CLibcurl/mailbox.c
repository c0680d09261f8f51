#if defined(__linux__)
#define _GNU_SOURCE
#include "include/nc_mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct nc_mailbox {
    pthread_mutex_t lock;
    nc_command *incoming, *taken;
    int count, capacity, taken_capacity;
    bool sleeps, is_closed, is_started;
    int descriptor;
    // The threads that are about to write to the descriptor. The loop waits for them before it closes the descriptor, whose number may be
    // used again at once.
    atomic_int wakers;
};

nc_mailbox *nc_mailbox_make(void) {
    nc_mailbox *box = calloc(1, sizeof *box);
    if (!box) return NULL;
    box->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (box->descriptor < 0) {
        free(box);
        return NULL;
    }
    pthread_mutex_init(&box->lock, NULL);
    return box;
}

void nc_mailbox_free(nc_mailbox *box) {
    if (box->descriptor >= 0) close(box->descriptor);
    pthread_mutex_destroy(&box->lock);
    free(box->incoming);
    free(box->taken);
    free(box);
}

static bool has_room(nc_mailbox *box) {
    if (box->count < box->capacity) return true;
    int capacity = box->capacity ? box->capacity * 2 : 64;
    nc_command *larger = realloc(box->incoming, (size_t)capacity * sizeof *larger);
    if (!larger) return false;
    box->incoming = larger;
    box->capacity = capacity;
    return true;
}

nc_posted nc_mailbox_post(nc_mailbox *box, nc_command command) {
    pthread_mutex_lock(&box->lock);
    if (command.kind == NC_COMMAND_STOP && !box->is_started) box->is_closed = true;
    if (box->is_closed || !has_room(box)) {
        pthread_mutex_unlock(&box->lock);
        return NC_POSTED_NOT;
    }
    nc_posted result = box->is_started ? NC_POSTED : NC_POSTED_FIRST;
    box->is_started = true;
    box->incoming[box->count++] = command;
    bool wakes = box->sleeps;
    if (wakes) {
        box->sleeps = false;
        atomic_fetch_add(&box->wakers, 1);
    }
    pthread_mutex_unlock(&box->lock);
    if (wakes) {
        uint64_t one = 1;
        while (write(box->descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
        atomic_fetch_sub(&box->wakers, 1);
    }
    return result;
}

static bool has_start(nc_mailbox *box) {
    for (int i = 0; i < box->count; i++)
        if (box->incoming[i].kind == NC_COMMAND_START) return true;
    return false;
}

const nc_command *nc_mailbox_take(nc_mailbox *box, bool takes_start, int *count) {
    pthread_mutex_lock(&box->lock);
    if (!takes_start && has_start(box)) {
        pthread_mutex_unlock(&box->lock);
        *count = 0;
        return NULL;
    }
    nc_command *commands = box->incoming;
    int capacity = box->capacity;
    *count = box->count;
    box->incoming = box->taken;
    box->capacity = box->taken_capacity;
    box->count = 0;
    box->sleeps = false;
    pthread_mutex_unlock(&box->lock);
    box->taken = commands;
    box->taken_capacity = capacity;
    return commands;
}

bool nc_mailbox_has_start(nc_mailbox *box) {
    pthread_mutex_lock(&box->lock);
    bool has = has_start(box);
    pthread_mutex_unlock(&box->lock);
    return has;
}

bool nc_mailbox_sleep(nc_mailbox *box) {
    pthread_mutex_lock(&box->lock);
    bool sleeps = box->count == 0;
    box->sleeps = sleeps;
    pthread_mutex_unlock(&box->lock);
    return sleeps;
}

void nc_mailbox_close(nc_mailbox *box) {
    pthread_mutex_lock(&box->lock);
    box->is_closed = true;
    box->sleeps = false;
    pthread_mutex_unlock(&box->lock);
    while (atomic_load(&box->wakers) > 0) sched_yield();
    close(box->descriptor);
    box->descriptor = -1;
}

int nc_mailbox_descriptor(const nc_mailbox *box) { return box->descriptor; }

struct start {
    const char *name;
    void (*run)(void *);
    void *argument;
};

static void *run(void *raw) {
    struct start start = *(struct start *)raw;
    free(raw);
    pthread_setname_np(pthread_self(), start.name);
    nc_thread_works(true);
    start.run(start.argument);
    nc_thread_works(false);
    return NULL;
}

int nc_thread_start(const char *name, void (*function)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    *start = (struct start){name, function, argument};
    // The application's threads handle signals. A closed socket must not raise SIGPIPE either.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int result = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result) {
        free(start);
        return result;
    }
    return 0;
}
#else
typedef int nc_unused_mailbox;
#endif
