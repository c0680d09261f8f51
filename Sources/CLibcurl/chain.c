#if defined(__linux__)
// Which of the certificates that a server sent prove its own.
#include "include/nc_loader.h"

#include <CLoader.h>
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

static void load(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    static const cl_symbol symbols[] = {
        CL_SYMBOL(crypto, d2i_X509), CL_SYMBOL(crypto, X509_free), CL_SYMBOL(crypto, OPENSSL_sk_new_null),
        CL_SYMBOL(crypto, OPENSSL_sk_push), CL_SYMBOL(crypto, OPENSSL_sk_free), CL_SYMBOL(crypto, X509_STORE_new),
        CL_SYMBOL(crypto, X509_STORE_free), CL_SYMBOL(crypto, X509_STORE_add_cert),
        CL_SYMBOL(crypto, X509_STORE_set_flags), CL_SYMBOL(crypto, X509_STORE_CTX_new),
        CL_SYMBOL(crypto, X509_STORE_CTX_free), CL_SYMBOL(crypto, X509_STORE_CTX_init),
        CL_SYMBOL(crypto, X509_STORE_CTX_set_default), CL_SYMBOL(crypto, X509_verify_cert),
        CL_SYMBOL(crypto, ERR_clear_error),
    };
    // libcurl has mostly loaded one: a second one would waste memory.
    void *library = cl_open(names, CL_COUNT(names), true, NULL, 0);
    is_loaded = library && !cl_find(library, "", symbols, CL_COUNT(symbols));
}

/// Whether the leaf is valid with the anchor. It does not take ownership of the certificates.
static bool verifies(x509 *leaf, x509 *anchor, stack *others) {
    store *trusted = crypto.X509_STORE_new();
    store_context *context = crypto.X509_STORE_CTX_new();
    bool result = trusted && context && crypto.X509_STORE_add_cert(trusted, anchor) == 1
        // Otherwise only a root can be an anchor.
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
    // libcurl uses OpenSSL on the same thread, and would read an error that is left in the queue.
    crypto.ERR_clear_error();
    return result;
}
#else
typedef int nc_unused_chain;
#endif
