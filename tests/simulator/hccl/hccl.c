/* The public functions: each rank's inputs and outputs. */
#include "hccl/hccl.h"

#include "../public.h"
#include "exports.h"
#include "group.h"

HCCL_EXPORTS(ACLSIM_DECLARE_APART)

/* By HcclDataType. */
static const aclDataType types[] = {
    ACL_INT8,   ACL_INT16, ACL_INT32,  ACL_FLOAT16, ACL_FLOAT,  ACL_INT64,
    ACL_UINT64, ACL_UINT8, ACL_UINT16, ACL_UINT32,  ACL_DOUBLE, ACL_BF16,
};

static uint64_t sizeOf(HcclDataType type)
{
    return (size_t)type < sizeof types / sizeof *types ? elementBytes(types[type]) : 0;
}

/* One piece for each rank, one after the other, or, with a step of 0, the same for all. */
static struct pieces each(const struct rank *rank, const void *buffer, uint64_t bytes, uint64_t step)
{
    struct pieces pieces = {{NULL}, {0}};
    for (uint32_t other = 0; other < groupSize(rank->group); other++) {
        pieces.at[other] = (const unsigned char *)buffer + other * step;
        pieces.bytes[other] = bytes;
    }
    return pieces;
}

static struct pieces only(uint32_t other, const void *buffer, uint64_t bytes)
{
    struct pieces pieces = {{NULL}, {0}};
    pieces.at[other] = buffer;
    pieces.bytes[other] = bytes;
    return pieces;
}

#define CHECK(condition, code) \
    do { \
        if (!(condition)) { \
            return (code); \
        } \
    } while (0)
#define CHECK_TYPE(type) CHECK(sizeOf(type) > 0, HCCL_E_NOT_SUPPORT)

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
    CHECK(devices != NULL && comms != NULL, HCCL_E_PTR);
    CHECK(ndev > 0 && ndev <= RANKS, HCCL_E_PARA);
    struct rank *ranks[RANKS];
    CHECK(groupNew(ndev, ranks) != NULL, HCCL_E_MEMORY);
    for (uint32_t i = 0; i < ndev; i++) {
        comms[i] = ranks[i];
    }
    return HCCL_SUCCESS;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
    CHECK(comm != NULL, HCCL_E_PTR);
    groupLeave(comm);
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
    CHECK(comm != NULL && rankSize != NULL, HCCL_E_PTR);
    *rankSize = groupSize(((struct rank *)comm)->group);
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
    CHECK(comm != NULL && rank != NULL, HCCL_E_PTR);
    *rank = ((struct rank *)comm)->number;
    return HCCL_SUCCESS;
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t bytes = count * sizeOf(dataType);
    const struct part part = {each(comm, sendBuf, bytes, 0), each(comm, recvBuf, bytes, 0), true, op, types[dataType]};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(root < groupSize(rank->group), HCCL_E_PARA);
    uint64_t bytes = count * sizeOf(dataType);
    struct part part = {only(root, sendBuf, bytes), {{NULL}, {0}}, true, op, types[dataType]};
    if (rank->number == root) {
        CHECK(recvBuf != NULL, HCCL_E_PTR);
        part.take = each(rank, recvBuf, bytes, 0);
    }
    return groupJoin(rank, &part, stream);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream)
{
    CHECK(buf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(root < groupSize(rank->group), HCCL_E_PARA);
    uint64_t bytes = count * sizeOf(dataType);
    struct part part = {.take = only(root, buf, bytes)};
    if (rank->number == root) {
        part.give = each(rank, buf, bytes, 0);
    }
    return groupJoin(rank, &part, stream);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t bytes = recvCount * sizeOf(dataType);
    const struct part part = {each(comm, sendBuf, bytes, bytes), each(comm, recvBuf, bytes, 0), true, op,
                              types[dataType]};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream)
{
    CHECK(recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(root < groupSize(rank->group), HCCL_E_PARA);
    uint64_t bytes = recvCount * sizeOf(dataType);
    struct part part = {.take = only(root, recvBuf, bytes)};
    if (rank->number == root) {
        CHECK(sendBuf != NULL, HCCL_E_PTR);
        part.give = each(rank, sendBuf, bytes, bytes);
    }
    return groupJoin(rank, &part, stream);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t bytes = sendCount * sizeOf(dataType);
    const struct part part = {.give = each(comm, sendBuf, bytes, 0), .take = each(comm, recvBuf, bytes, bytes)};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream)
{
    CHECK(sendBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(destRank < groupSize(rank->group) && destRank != rank->number, HCCL_E_PARA);
    return groupMessage(rank, destRank, true, sendBuf, count * sizeOf(dataType), stream);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream)
{
    CHECK(recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(srcRank < groupSize(rank->group) && srcRank != rank->number, HCCL_E_PARA);
    return groupMessage(rank, srcRank, false, recvBuf, count * sizeOf(dataType), stream);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(sendType);
    CHECK_TYPE(recvType);
    uint64_t given = sendCount * sizeOf(sendType), taken = recvCount * sizeOf(recvType);
    const struct part part = {.give = each(comm, sendBuf, given, given), .take = each(comm, recvBuf, taken, taken)};
    return groupJoin(comm, &part, stream);
}

static struct pieces listed(const struct rank *rank, const void *buffer, const void *counts, const void *starts,
                            uint64_t element)
{
    struct pieces pieces = {{NULL}, {0}};
    for (uint32_t other = 0; other < groupSize(rank->group); other++) {
        pieces.at[other] = (const unsigned char *)buffer + ((const uint64_t *)starts)[other] * element;
        pieces.bytes[other] = ((const uint64_t *)counts)[other] * element;
    }
    return pieces;
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls, HcclDataType sendType,
                         const void *recvBuf, const void *recvCounts, const void *rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK(sendCounts != NULL && sdispls != NULL && recvCounts != NULL && rdispls != NULL, HCCL_E_PTR);
    CHECK_TYPE(sendType);
    CHECK_TYPE(recvType);
    const struct part part = {
        .give = listed(comm, sendBuf, sendCounts, sdispls, sizeOf(sendType)),
        .take = listed(comm, recvBuf, recvCounts, rdispls, sizeOf(recvType)),
    };
    return groupJoin(comm, &part, stream);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    CHECK(comm != NULL, HCCL_E_PTR);
    const struct part part = {.is_reduced = false};
    return groupJoin(comm, &part, stream);
}
