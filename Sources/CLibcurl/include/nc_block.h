// Blocks of memory for streamed bodies, used again and again: fresh memory of that size comes from the kernel page by page,
// which costs more than receiving the bytes.
#ifndef NC_BLOCK_H
#define NC_BLOCK_H

#include <stdint.h>

/// Room for the default of `streamBufferBytes` and one more write of libcurl's.
enum { NC_BLOCK_SIZE = 144 * 1024 };

/// A block, or NULL if there is no memory. Any thread.
uint8_t *_Nullable nc_block_take(void);
/// Gives a block back. Any thread.
void nc_block_give(uint8_t *_Nonnull block);

#endif
