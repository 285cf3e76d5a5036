#ifndef OBS_CCRYPTO_SHIM_H
#define OBS_CCRYPTO_SHIM_H
#include <openssl/evp.h>

/* SHA-256 of `count` bytes into 32 bytes at `digest`; 1 on success. */
static inline int ccrypto_sha256(const void *bytes, size_t count, unsigned char *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}
#endif
