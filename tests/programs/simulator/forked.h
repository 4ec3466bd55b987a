/* Ranks in processes of their own: the root's information reaches them through a page that all share. */
#ifndef FORKED_H
#define FORKED_H

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "acl/error_codes/rt_error_codes.h"
#include "expect.h"
#include "hccl/hccl.h"

enum { MOST = 4 };

static struct shared {
    HcclRootInfo info;
    sem_t is_made, reached[MOST];
} *shared;

static pid_t ranks[MOST];

/* The first rank makes the information, the others wait for it. */
static inline HcclComm join(int rank, int count)
{
    HcclComm comm = NULL;
    OK(aclrtSetDevice(rank));
    if (rank == 0) {
        OK(HcclGetRootInfo(&shared->info));
        for (int other = 1; other < count; other++) {
            sem_post(&shared->is_made);
        }
    } else {
        waitForGate(&shared->is_made);
    }
    OK(HcclCommInitRootInfo((uint32_t)count, &shared->info, (uint32_t)rank, &comm));
    return comm;
}

static inline void forkRanks(int count, void (*body)(int rank, int count))
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT("set-up", shared != MAP_FAILED);
    sem_init(&shared->is_made, 1, 0);
    for (int rank = 0; rank < count; rank++) {
        sem_init(&shared->reached[rank], 1, 0);
        ranks[rank] = fork();
        if (ranks[rank] == 0) {
            alarm(60);
            OK(aclInit(NULL));
            body(rank, count);
            OK(aclFinalize());
            exit(0);
        }
    }
}

static inline void expectExit(int rank)
{
    int status;
    EXPECT("set-up", waitpid(ranks[rank], &status, 0) == ranks[rank]);
    EXPECT("the rank's own expectations", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void runRanks(int count, void (*body)(int rank, int count))
{
    forkRanks(count, body);
    for (int rank = 0; rank < count; rank++) {
        expectExit(rank);
    }
}

/* Device memory with these bytes. */
static inline void *holding(const void *bytes, size_t size)
{
    void *block = NULL;
    OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(block, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return block;
}

#endif
