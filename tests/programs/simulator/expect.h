/* Assertions that name the fact they check: a section of the AscendCL data sheet, such
 * as "5.2", or of the peer study, such as "peers 0.6". */
#ifndef EXPECT_H
#define EXPECT_H

#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclsim.h"

#define EXPECT(fact, condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: [%s] %s\n", __FILE__, __LINE__, (fact), #condition); \
            exit(1); \
        } \
    } while (0)

#define EXPECT_CODE(fact, expected, call) \
    do { \
        long long wanted = (long long)(expected); \
        long long answer = (long long)(call); \
        if (answer != wanted) { \
            fprintf(stderr, "%s:%d: [%s] %s answered %lld, not %lld\n", __FILE__, __LINE__, (fact), #call, answer, \
                    wanted); \
            exit(1); \
        } \
    } while (0)

#define OK(call) EXPECT_CODE("set-up", ACL_SUCCESS, call)

/* Whether the libraries behave as those after 9.1.0, where that and 9.1.0 differ. */
__attribute__((unused)) static int isAfter91(void)
{
    char package[] = "runtime";
    int32_t number = 0;
    OK(aclsysGetVersionNum(package, &number));
    return number > 90100000;
}

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

__attribute__((unused)) static int isFilled(const void *bytes, int value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)bytes)[i] != (unsigned char)value) {
            return 0;
        }
    }
    return 1;
}

/* Size that the runtime's own resolver gives for a block. */
__attribute__((unused)) static size_t sizeOf(void *pointer)
{
    void *base = NULL;
    size_t size = 0;
    OK(aclrtMemGetAddressRange(pointer, &base, &size));
    EXPECT("3.6 GetAddressRange", base == pointer);
    return size;
}

#endif
