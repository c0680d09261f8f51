#if defined(__linux__)
#include "include/CSecurity.h"

#include <CLoader.h>
#include <limits.h>
#include <pthread.h>

// openssl/evp.h, as both 1.1 and 3 have it.
typedef struct evp_cipher evp_cipher;
typedef struct evp_cipher_ctx evp_cipher_ctx;
typedef struct evp_md evp_md;
typedef struct evp_md_ctx evp_md_ctx;
typedef struct evp_pkey evp_pkey;
typedef struct engine engine;
enum { get_tag = 0x10, set_tag = 0x11 };

#define CRYPTO_FUNCTIONS(X) \
    X(const evp_cipher *, EVP_aes_256_gcm, (void)) \
    X(evp_cipher_ctx *, EVP_CIPHER_CTX_new, (void)) \
    X(int, EVP_CipherInit_ex, (evp_cipher_ctx *, const evp_cipher *, engine *, const uint8_t *, const uint8_t *, int)) \
    X(int, EVP_CipherUpdate, (evp_cipher_ctx *, uint8_t *, int *, const uint8_t *, int)) \
    X(int, EVP_CipherFinal_ex, (evp_cipher_ctx *, uint8_t *, int *)) \
    X(int, EVP_CIPHER_CTX_ctrl, (evp_cipher_ctx *, int, int, void *)) \
    X(void, EVP_CIPHER_CTX_free, (evp_cipher_ctx *)) \
    X(const evp_md *, EVP_get_digestbyname, (const char *)) \
    X(int, EVP_Digest, (const void *, size_t, uint8_t *, unsigned *, const evp_md *, engine *)) \
    X(evp_pkey *, d2i_AutoPrivateKey, (evp_pkey **, const uint8_t **, long)) \
    X(evp_md_ctx *, EVP_MD_CTX_new, (void)) \
    X(int, EVP_DigestSignInit, (evp_md_ctx *, void *, const evp_md *, engine *, evp_pkey *)) \
    X(int, EVP_DigestSign, (evp_md_ctx *, uint8_t *, size_t *, const uint8_t *, size_t)) \
    X(void, EVP_MD_CTX_free, (evp_md_ctx *)) \
    X(void, EVP_PKEY_free, (evp_pkey *)) \
    X(void, ERR_clear_error, (void))

#define SLOT(type, name, parameters) type(*name) parameters;
static struct {
    CRYPTO_FUNCTIONS(SLOT)
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static bool is_loaded;

static void load(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
#define SYMBOL(type, name, parameters) CL_SYMBOL(crypto, name),
    static const cl_symbol symbols[] = {CRYPTO_FUNCTIONS(SYMBOL)};
    is_loaded = cl_load(names, CL_COUNT(names), false, "", symbols, CL_COUNT(symbols), problem, sizeof problem);
}

const char *ns_crypto_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}

// libcrypto's error queue belongs to the thread: other code on it, such as libcurl, would read an error that is left there.
static bool cleared(bool is_fine) {
    if (!is_fine) crypto.ERR_clear_error();
    return is_fine;
}

/// Encrypts or decrypts `size` bytes. The tag is written behind the encrypted ones, or compared with the one there.
static bool run_gcm(bool encrypts, const uint8_t *key, const uint8_t *nonce, const uint8_t *context, size_t context_size,
                    const uint8_t *input, size_t size, uint8_t *output, uint8_t *tag) {
    if (size > INT_MAX - NS_TAG_SIZE || context_size > INT_MAX) return false;
    evp_cipher_ctx *cipher = crypto.EVP_CIPHER_CTX_new();
    if (!cipher) return cleared(false);
    int count = 0;
    bool is_fine = crypto.EVP_CipherInit_ex(cipher, crypto.EVP_aes_256_gcm(), NULL, key, nonce, encrypts) == 1
        && (!context_size || crypto.EVP_CipherUpdate(cipher, NULL, &count, context, (int)context_size) == 1)
        && (!size || crypto.EVP_CipherUpdate(cipher, output, &count, input, (int)size) == 1)
        && (encrypts || crypto.EVP_CIPHER_CTX_ctrl(cipher, set_tag, NS_TAG_SIZE, tag) == 1)
        && crypto.EVP_CipherFinal_ex(cipher, output + size, &count) == 1
        && (!encrypts || crypto.EVP_CIPHER_CTX_ctrl(cipher, get_tag, NS_TAG_SIZE, tag) == 1);
    crypto.EVP_CIPHER_CTX_free(cipher);
    return cleared(is_fine);
}

bool ns_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *context, size_t context_size, const uint8_t *plain,
             size_t size, uint8_t *sealed) {
    return run_gcm(true, key, nonce, context, context_size, plain, size, sealed, sealed + size);
}

bool ns_open(const uint8_t *key, const uint8_t *nonce, const uint8_t *context, size_t context_size, const uint8_t *sealed,
             size_t size, uint8_t *plain) {
    if (size < NS_TAG_SIZE) return false;
    size -= NS_TAG_SIZE;
    return run_gcm(false, key, nonce, context, context_size, sealed, size, plain, (uint8_t *)sealed + size);
}

size_t ns_digest(const char *name, const void *bytes, size_t size, uint8_t *digest) {
    const evp_md *kind = crypto.EVP_get_digestbyname(name);
    unsigned count = 0;
    // A system in FIPS mode has MD5, and refuses to compute it.
    if (!kind || crypto.EVP_Digest(bytes, size, digest, &count, kind, NULL) != 1) return cleared(false);
    return count;
}

size_t ns_sign(const char *digest, const uint8_t *key, size_t key_size, const void *bytes, size_t size, uint8_t *signature,
               size_t capacity) {
    const evp_md *kind = digest ? crypto.EVP_get_digestbyname(digest) : NULL;
    if ((digest && !kind) || key_size > LONG_MAX) return cleared(false);
    evp_pkey *private_key = crypto.d2i_AutoPrivateKey(NULL, &key, (long)key_size);
    evp_md_ctx *signer = crypto.EVP_MD_CTX_new();
    size_t count = capacity;
    bool is_fine = private_key && signer && crypto.EVP_DigestSignInit(signer, NULL, kind, NULL, private_key) == 1
        && crypto.EVP_DigestSign(signer, signature, &count, bytes, size) == 1;
    if (signer) crypto.EVP_MD_CTX_free(signer);
    if (private_key) crypto.EVP_PKEY_free(private_key);
    return cleared(is_fine) ? count : 0;
}
#endif
