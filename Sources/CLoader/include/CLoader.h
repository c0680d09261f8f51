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
    /// Whether the library may lack it: then the pointer stays as it was.
    bool is_optional;
} cl_symbol;

/// Entries of a table, for a struct of function pointers that are named as the functions are.
#define CL_SYMBOL(table, name) {#name, &(table).name, false}
#define CL_OPTIONAL(table, name) {#name, &(table).name, true}
#define CL_COUNT(list) (sizeof(list) / sizeof *(list))

/// Loads the first of the libraries that is found, and finds the functions of a table. It stays loaded until the process ends.
///
/// - prefers_loaded: whether any of them that the process has loaded comes before the order of the list.
/// - prefix, symbols: as for `cl_find`.
/// - problem: receives why the first of the list cannot be loaded, if none can, or which function is missing; NULL if that does not matter.
///   Empty if the library is loaded.
/// - Returns: the library, or NULL.
void *_Nullable cl_load(
    const char *_Nonnull const *_Nonnull names, size_t name_count, bool prefers_loaded, const char *_Nonnull prefix,
    const cl_symbol *_Nonnull symbols, size_t count, char *_Nullable problem, size_t capacity);

/// Finds all functions of a table, whose names the library has with the prefix. Returns the name of the first that is missing and not optional,
/// or NULL.
const char *_Nullable cl_find(
    void *_Nonnull library, const char *_Nonnull prefix, const cl_symbol *_Nonnull symbols, size_t count);
#endif

#endif
