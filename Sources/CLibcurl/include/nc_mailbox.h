// Commands from any thread to the loop's thread.
#ifndef NC_MAILBOX_H
#define NC_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

typedef enum nc_command_kind {
    NC_COMMAND_START,
    NC_COMMAND_CANCEL,
    /// The object names a client. Its exchanges are cancelled.
    NC_COMMAND_CANCEL_GROUP,
    NC_COMMAND_RESUME_RECEIVING,
    NC_COMMAND_RESUME_SENDING,
    NC_COMMAND_BODY_FAILED,
    NC_COMMAND_LOOKED_UP,
    /// Another loop has arrived at the thread of this one.
    NC_COMMAND_ARRIVAL,
    NC_COMMAND_STOP,
} nc_command_kind;

typedef struct nc_command {
    nc_command_kind kind;
    /// The exchange; NULL for `NC_COMMAND_ARRIVAL` and `NC_COMMAND_STOP`. The sender retains it, the receiver releases it.
    void *_Nullable object;
} nc_command;

typedef struct nc_mailbox nc_mailbox;

typedef enum nc_posted {
    /// The box is closed, and the object was not taken.
    NC_POSTED_NOT,
    NC_POSTED,
    /// Posted as the first command: the sender must start the thread.
    NC_POSTED_FIRST,
} nc_posted;

nc_mailbox *_Nullable nc_mailbox_make(void);
void nc_mailbox_free(nc_mailbox *_Nonnull box);
/// Any thread. Wakes the loop only if it sleeps. `NC_COMMAND_STOP` as the first command closes the box, since there is no thread to stop.
nc_posted nc_mailbox_post(nc_mailbox *_Nonnull box, nc_command command);
/// The loop's thread. Returns the commands so far, which are valid until the next call. If `NC_COMMAND_START` is among them and `takes_start`
/// is false, returns and takes none.
const nc_command *_Nullable nc_mailbox_take(nc_mailbox *_Nonnull box, bool takes_start, int *_Nonnull count);
/// The loop's thread. Whether `NC_COMMAND_START` is among the commands that were not taken yet.
bool nc_mailbox_has_start(nc_mailbox *_Nonnull box);
/// The loop's thread, before it sleeps. Returns false if a command was posted meanwhile.
bool nc_mailbox_sleep(nc_mailbox *_Nonnull box);
/// The loop's thread. Refuses later commands, and closes the descriptor.
void nc_mailbox_close(nc_mailbox *_Nonnull box);
/// The descriptor that becomes readable (edge-triggered) when something is posted to a sleeping loop.
int nc_mailbox_descriptor(const nc_mailbox *_Nonnull box);

/// Waits until something is posted, or until a time of `nc_clock`; see `nc_loop_wait`.
void nc_mailbox_wait(const nc_mailbox *_Nonnull box, int64_t until);

/// Says whether this thread may be in OpenSSL from here on. While a thread waits, it is not.
void nc_thread_works(bool works);
/// Waits until each thread waits, for a second at most, and lets none go on: OpenSSL is about to free its data.
void nc_threads_park(void);

/// Starts a detached thread with all signals blocked. Returns 0, or an errno.
int nc_thread_start(const char *_Nonnull name, void (*_Nonnull run)(void *_Nonnull), void *_Nonnull argument);

#endif
