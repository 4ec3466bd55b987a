//@ run: HCCL_EXEC_TIMEOUT=1 HCCL_CONNECT_TIMEOUT=1
//@ link: hccl
/* A rank that is killed, leaves or never comes ends the others' wait with an error, and soon. */
#include <signal.h>

#include "forked.h"

static aclrtStream stream;
static float *block;

static HcclComm begin(int rank, int count)
{
    const float one = 1;
    HcclComm comm = join(rank, count);
    OK(aclrtCreateStream(&stream));
    block = holding(&one, sizeof one);
    return comm;
}

static aclError reduce(HcclComm comm)
{
    OK(HcclAllReduce(block, block, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
    return aclrtSynchronizeStream(stream);
}

static void expectLost(HcclComm comm)
{
    HcclResult state;
    OK(HcclGetCommAsyncError(comm, &state));
    EXPECT_CODE("a rank is lost", HCCL_E_REMOTE, state);
    EXPECT_CODE("once lost, always lost", ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, reduce(comm));
    OK(HcclCommDestroy(comm));
}

/* The last rank is killed while the others wait for it. */
static void awaitsTheKilled(int rank, int count)
{
    HcclComm comm = begin(rank, count);
    OK(reduce(comm));
    if (rank == count - 1) {
        sem_post(&shared->reached[rank]);
        pause();
    }
    EXPECT_CODE("a dead rank", ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, reduce(comm));
    expectLost(comm);
}

static void awaitsTheKilledSender(int rank, int count)
{
    HcclComm comm = begin(rank, count);
    if (rank == count - 1) {
        sem_post(&shared->reached[rank]);
        pause();
    }
    OK(HcclRecv(block, 1, HCCL_DATA_TYPE_FP32, (uint32_t)count - 1, comm, stream));
    EXPECT_CODE("a dead sender", ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStream(stream));
    if (rank == 0) {
        OK(HcclSend(block, 1, HCCL_DATA_TYPE_FP32, 1, comm, stream));
    } else {
        OK(HcclRecv(block, 1, HCCL_DATA_TYPE_FP32, 0, comm, stream));
    }
    EXPECT_CODE("messages between the living arrive", ACL_SUCCESS, aclrtSynchronizeStream(stream));
    expectLost(comm);
}

static void awaitsTheOneThatLeft(int rank, int count)
{
    HcclComm comm = begin(rank, count);
    OK(reduce(comm));
    if (rank == 1) {
        OK(HcclCommDestroy(comm));
        waitForGate(&shared->reached[0]);
        return;
    }
    EXPECT_CODE("a rank that left", ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, reduce(comm));
    expectLost(comm);
    sem_post(&shared->reached[0]);
}

/* It lives, and calls nothing. */
static void awaitsTheIdle(int rank, int count)
{
    HcclComm comm = begin(rank, count);
    if (rank == 1) {
        waitForGate(&shared->reached[0]);
        OK(HcclCommDestroy(comm));
        return;
    }
    EXPECT_CODE("HCCL_EXEC_TIMEOUT", ACL_ERROR_RT_AICORE_TIMEOUT, reduce(comm));
    expectLost(comm);
    sem_post(&shared->reached[0]);
}

static void joinsAlone(int rank, int count)
{
    (void)rank, (void)count;
    HcclRootInfo info;
    HcclComm comm;
    OK(aclrtSetDevice(0));
    OK(HcclGetRootInfo(&info));
    EXPECT_CODE("HCCL_CONNECT_TIMEOUT", HCCL_E_TIMEOUT, HcclCommInitRootInfo(2, &info, 0, &comm));
    EXPECT_CODE("a seat once", HCCL_E_PARA, HcclCommInitRootInfo(2, &info, 0, &comm));
    EXPECT_CODE("other numbers", HCCL_E_PARA, HcclCommInitRootInfo(3, &info, 1, &comm));
    EXPECT_CODE("too high a rank", HCCL_E_PARA, HcclCommInitRootInfo(2, &info, 2, &comm));
    memset(&info, 0, sizeof info);
    EXPECT_CODE("no root", HCCL_E_TCP_CONNECT, HcclCommInitRootInfo(2, &info, 0, &comm));
}

static void killOneOf(int count, void (*body)(int rank, int count))
{
    int status, killed = count - 1;
    forkRanks(count, body);
    waitForGate(&shared->reached[killed]);
    EXPECT("set-up", kill(ranks[killed], SIGKILL) == 0);
    for (int rank = 0; rank < killed; rank++) {
        expectExit(rank);
    }
    /* Until now nobody has waited for it: a zombie is dead, too. */
    EXPECT("set-up", waitpid(ranks[killed], &status, 0) == ranks[killed] && WIFSIGNALED(status));
}

int main(void)
{
    killOneOf(3, awaitsTheKilled);
    killOneOf(3, awaitsTheKilledSender);
    runRanks(2, awaitsTheOneThatLeft);
    runRanks(2, awaitsTheIdle);
    runRanks(1, joinsAlone);
    return 0;
}
