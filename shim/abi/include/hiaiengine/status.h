/* Status codes of the legacy HiAI Matrix (DDK 1.3x). */
#ifndef ACLSAN_HIAI_STATUS_H
#define ACLSAN_HIAI_STATUS_H

#include <stdint.h>

typedef uint32_t HIAI_StatusT;

/* As in the samples of the DDK; the codes in between consist of a module, a level and a number. */
#define HIAI_OK 0
#define HIAI_ERROR 3

#endif
