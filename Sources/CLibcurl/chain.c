#if defined(__linux__)
#include "include/nc_chain.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct x509 x509;
typedef struct stack stack;
typedef struct store store;
typedef struct store_context store_context;

// The same in OpenSSL 1.1 and 3.
enum { PARTIAL_CHAIN = 0x80000 };

static struct {
    x509 *(*d2i_X509)(x509 **, const unsigned char **, long);
    void (*X509_free)(x509 *);
    stack *(*OPENSSL_sk_new_null)(void);
    int (*OPENSSL_sk_push)(stack *, const void *);
    void (*OPENSSL_sk_free)(stack *);
    store *(*X509_STORE_new)(void);
    void (*X509_STORE_free)(store *);
    int (*X509_STORE_add_cert)(store *, x509 *);
    int (*X509_STORE_set_flags)(store *, unsigned long);
    store_context *(*X509_STORE_CTX_new)(void);
    void (*X509_STORE_CTX_free)(store_context *);
    int (*X509_STORE_CTX_init)(store_context *, store *, x509 *, stack *);
    int (*X509_STORE_CTX_set_default)(store_context *, const char *);
    int (*X509_verify_cert)(store_context *);
    void (*ERR_clear_error)(void);
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void *open_library(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    // Mostly libcurl has brought one along: a second one in the process would be a waste.
    static const int flags[] = {RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL};
    for (size_t flag = 0; flag < 2; flag++)
        for (size_t name = 0; name < 2; name++) {
            void *library = dlopen(names[name], flags[flag]);
            if (library) return library;
        }
    return NULL;
}

static void load(void) {
    void *library = open_library();
    if (!library) return;
#define FIND(name) \
    if (!(*(void **)&crypto.name = dlsym(library, #name))) return
    FIND(d2i_X509);
    FIND(X509_free);
    FIND(OPENSSL_sk_new_null);
    FIND(OPENSSL_sk_push);
    FIND(OPENSSL_sk_free);
    FIND(X509_STORE_new);
    FIND(X509_STORE_free);
    FIND(X509_STORE_add_cert);
    FIND(X509_STORE_set_flags);
    FIND(X509_STORE_CTX_new);
    FIND(X509_STORE_CTX_free);
    FIND(X509_STORE_CTX_init);
    FIND(X509_STORE_CTX_set_default);
    FIND(X509_verify_cert);
    FIND(ERR_clear_error);
#undef FIND
    is_loaded = true;
}

/// Whether the leaf is valid with that anchor. The certificates stay the caller's.
static bool verifies(x509 *leaf, x509 *anchor, stack *others) {
    store *trusted = crypto.X509_STORE_new();
    store_context *context = crypto.X509_STORE_CTX_new();
    bool result = trusted && context && crypto.X509_STORE_add_cert(trusted, anchor) == 1
        // Or else only a root could be an anchor.
        && crypto.X509_STORE_set_flags(trusted, PARTIAL_CHAIN) == 1
        && crypto.X509_STORE_CTX_init(context, trusted, leaf, others) == 1
        && crypto.X509_STORE_CTX_set_default(context, "ssl_server") == 1 && crypto.X509_verify_cert(context) == 1;
    crypto.X509_STORE_CTX_free(context);
    crypto.X509_STORE_free(trusted);
    return result;
}

enum { COUNT_MAX = 16 };

int nc_proves(const void *const *certificates, const long *lengths, size_t count, size_t anchor) {
    pthread_once(&once, load);
    if (!is_loaded) return -1;
    if (count > COUNT_MAX || anchor >= count) return 0;
    x509 *parsed[COUNT_MAX] = {NULL};
    stack *others = crypto.OPENSSL_sk_new_null();
    bool result = others != NULL;
    for (size_t index = 0; result && index < count; index++) {
        const unsigned char *bytes = certificates[index];
        parsed[index] = crypto.d2i_X509(NULL, &bytes, lengths[index]);
        result = parsed[index] && crypto.OPENSSL_sk_push(others, parsed[index]) > 0;
    }
    result = result && verifies(parsed[0], parsed[anchor], others);
    for (size_t index = 0; index < count; index++) crypto.X509_free(parsed[index]);
    crypto.OPENSSL_sk_free(others);
    // What went wrong is no concern of whoever uses this thread's OpenSSL next: libcurl.
    crypto.ERR_clear_error();
    return result;
}
#else
typedef int nc_unused_chain;
#endif
