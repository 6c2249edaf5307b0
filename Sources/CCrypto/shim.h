#ifndef ENCLOSURE_CCRYPTO_SHIM_H
#define ENCLOSURE_CCRYPTO_SHIM_H
#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif
