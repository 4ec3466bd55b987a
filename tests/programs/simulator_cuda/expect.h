/* Assertions that name the documented fact that they check, and gates that hold a stream. */
#ifndef EXPECT_H
#define EXPECT_H

#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cusim.h"

#define EXPECT(fact, condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: [%s] %s\n", __FILE__, __LINE__, (fact), #condition); \
            exit(1); \
        } \
    } while (0)

#define EXPECT_CODE(fact, expected, call) \
    do { \
        int answer = (int)(call); \
        if (answer != (int)(expected)) { \
            fprintf(stderr, "%s:%d: [%s] %s answered %d, not %s\n", __FILE__, __LINE__, (fact), #call, answer, #expected); \
            exit(1); \
        } \
    } while (0)

#define OK(call) EXPECT_CODE("set-up", CUDA_SUCCESS, call)

/* A hang is a failure, not a stuck build. */
__attribute__((constructor, unused)) static void limitTime(void)
{
    alarm(60);
}

/* A host function that keeps a stream busy until the test posts the semaphore. */
__attribute__((unused)) static void waitForGate(void *gate)
{
    while (sem_wait(gate) != 0) {
    }
}

__attribute__((unused)) static CUcontext begin(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

__attribute__((unused)) static int isFilled(const void *bytes, int value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)bytes)[i] != (unsigned char)value) {
            return 0;
        }
    }
    return 1;
}

#endif
