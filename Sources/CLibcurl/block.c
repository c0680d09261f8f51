#if defined(__linux__)
#include "include/nc_block.h"

#include <pthread.h>
#include <stdlib.h>

// Enough for two streams that keep pace with their readers; more than that would be held for nothing.
enum { KEPT = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *kept[KEPT];
static int count;

uint8_t *nc_block_take(void) {
    uint8_t *block = NULL;
    pthread_mutex_lock(&lock);
    if (count) block = kept[--count];
    pthread_mutex_unlock(&lock);
    return block ? block : malloc(NC_BLOCK_SIZE);
}

void nc_block_give(uint8_t *block) {
    pthread_mutex_lock(&lock);
    if (count < KEPT) {
        kept[count++] = block;
        block = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(block);
}
#else
typedef int nc_unused_block;
#endif
