/* Assertions that name the fact that they check, and gates that hold a stream: for programs of both simulators. */
#ifndef PROGRAMS_FACTS_H
#define PROGRAMS_FACTS_H

#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#endif
