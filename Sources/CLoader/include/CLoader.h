// Finds functions of the system's libraries at run time, so that building needs neither their headers nor `-l` flags.
// On other systems than Linux this module is empty.
#ifndef CLOADER_H
#define CLOADER_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

/// A function of a library, and the function pointer that it is stored in.
typedef struct cl_symbol {
    const char *_Nonnull name;
    void *_Nonnull slot;
} cl_symbol;

/// Entries of a table, for a struct of function pointers that are named as the functions are.
#define CL_SYMBOL(table, name) {#name, &(table).name}
#define CL_COUNT(list) (sizeof(list) / sizeof *(list))

/// Loads the first of the libraries that is found. They stay loaded until the process ends.
///
/// - prefers_loaded: whether any of them that the process has loaded comes before the order of the list.
/// - problem: receives why the first of the list cannot be loaded, if none can; NULL if that does not matter.
void *_Nullable cl_open(
    const char *_Nonnull const *_Nonnull names, size_t count, bool prefers_loaded, char *_Nullable problem, size_t capacity);

/// Finds all functions of a table, whose names the library has with the prefix. Returns the name of the first that is missing, or NULL.
const char *_Nullable cl_find(
    void *_Nonnull library, const char *_Nonnull prefix, const cl_symbol *_Nonnull symbols, size_t count);
#endif

#endif
