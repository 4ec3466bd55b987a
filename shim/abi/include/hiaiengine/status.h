/* Answers of the legacy HiAI Matrix (DDK 1.3x). */
#ifndef ACLSAN_HIAI_STATUS_H
#define ACLSAN_HIAI_STATUS_H

#include <stdint.h>

typedef uint32_t HIAI_StatusT;

/* As the DDK's samples give them; the codes in between are made of a module, a level and a number. */
#define HIAI_OK 0
#define HIAI_ERROR 3

#endif
