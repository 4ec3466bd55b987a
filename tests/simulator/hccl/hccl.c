/* Collectives: each rank's inputs and outputs. */
#include "check.h"

/* By HcclDataType. */
static const aclDataType types[] = {
    ACL_INT8,   ACL_INT16, ACL_INT32,  ACL_FLOAT16, ACL_FLOAT,  ACL_INT64,
    ACL_UINT64, ACL_UINT8, ACL_UINT16, ACL_UINT32,  ACL_DOUBLE, ACL_BF16,
};

aclDataType hcclElement(HcclDataType type)
{
    return (size_t)type < sizeof types / sizeof *types ? types[type] : ACL_DT_UNDEFINED;
}

uint64_t hcclElementBytes(HcclDataType type)
{
    return elementBytes(hcclElement(type));
}

/* One piece for each rank, one after the other, or, with a step of 0, the same for all. */
static struct pieces each(const struct rank *rank, const void *buffer, uint64_t bytes, uint64_t step)
{
    struct pieces pieces = {{NULL}, {0}};
    for (uint32_t other = 0; other < rank->size; other++) {
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

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t bytes = count * hcclElementBytes(dataType);
    const struct part part = {each(comm, sendBuf, bytes, 0), each(comm, recvBuf, bytes, 0), true, op,
                              hcclElement(dataType)};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(root < rank->size, HCCL_E_PARA);
    uint64_t bytes = count * hcclElementBytes(dataType);
    struct part part = {only(root, sendBuf, bytes), {{NULL}, {0}}, true, op, hcclElement(dataType)};
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
    CHECK(root < rank->size, HCCL_E_PARA);
    uint64_t bytes = count * hcclElementBytes(dataType);
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
    uint64_t bytes = recvCount * hcclElementBytes(dataType);
    const struct part part = {each(comm, sendBuf, bytes, bytes), each(comm, recvBuf, bytes, 0), true, op,
                              hcclElement(dataType)};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream)
{
    CHECK(recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(root < rank->size, HCCL_E_PARA);
    uint64_t bytes = recvCount * hcclElementBytes(dataType);
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
    uint64_t bytes = sendCount * hcclElementBytes(dataType);
    const struct part part = {.give = each(comm, sendBuf, bytes, 0), .take = each(comm, recvBuf, bytes, bytes)};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(sendType);
    CHECK_TYPE(recvType);
    uint64_t given = sendCount * hcclElementBytes(sendType), taken = recvCount * hcclElementBytes(recvType);
    const struct part part = {.give = each(comm, sendBuf, given, given), .take = each(comm, recvBuf, taken, taken)};
    return groupJoin(comm, &part, stream);
}

static struct pieces listed(const struct rank *rank, const void *buffer, const void *counts, const void *starts,
                            uint64_t element)
{
    struct pieces pieces = {{NULL}, {0}};
    for (uint32_t other = 0; other < rank->size; other++) {
        pieces.at[other] = (const unsigned char *)buffer + ((const uint64_t *)starts)[other] * element;
        pieces.bytes[other] = ((const uint64_t *)counts)[other] * element;
    }
    return pieces;
}

static HcclResult exchange(struct rank *rank, const struct pieces *give, const struct pieces *take, aclrtStream stream)
{
    const struct part part = {.give = *give, .take = *take};
    return groupJoin(rank, &part, stream);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls, HcclDataType sendType,
                         const void *recvBuf, const void *recvCounts, const void *rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK(sendCounts != NULL && sdispls != NULL && recvCounts != NULL && rdispls != NULL, HCCL_E_PTR);
    CHECK_TYPE(sendType);
    CHECK_TYPE(recvType);
    const struct pieces give = listed(comm, sendBuf, sendCounts, sdispls, hcclElementBytes(sendType));
    const struct pieces take = listed(comm, recvBuf, recvCounts, rdispls, hcclElementBytes(recvType));
    return exchange(comm, &give, &take, stream);
}

/* `sendCountMatrix` has a row for each sender. */
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType, const void *recvBuf,
                          HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && sendCountMatrix != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(sendType);
    CHECK_TYPE(recvType);
    struct rank *rank = comm;
    const uint64_t *counts = sendCountMatrix;
    uint64_t sent[RANKS] = {0}, received[RANKS] = {0}, sent_from[RANKS] = {0}, received_to[RANKS] = {0};
    for (uint32_t other = 0; other < rank->size; other++) {
        sent[other] = counts[rank->number * rank->size + other];
        received[other] = counts[other * rank->size + rank->number];
        sent_from[other] = other == 0 ? 0 : sent_from[other - 1] + sent[other - 1];
        received_to[other] = other == 0 ? 0 : received_to[other - 1] + received[other - 1];
    }
    const struct pieces give = listed(rank, sendBuf, sent, sent_from, hcclElementBytes(sendType));
    const struct pieces take = listed(rank, recvBuf, received, received_to, hcclElementBytes(recvType));
    return exchange(rank, &give, &take, stream);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && recvCounts != NULL && recvDispls != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t element = hcclElementBytes(dataType);
    const struct part part = {
        .give = each(comm, sendBuf, sendCount * element, 0),
        .take = listed(comm, recvBuf, recvCounts, recvDispls, element),
    };
    return groupJoin(comm, &part, stream);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream)
{
    CHECK(sendBuf != NULL && recvBuf != NULL && sendCounts != NULL && sendDispls != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    uint64_t element = hcclElementBytes(dataType);
    const struct part part = {listed(comm, sendBuf, sendCounts, sendDispls, element),
                              each(comm, recvBuf, recvCount * element, 0), true, op, hcclElement(dataType)};
    return groupJoin(comm, &part, stream);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    CHECK(comm != NULL, HCCL_E_PTR);
    const struct part part = {.is_reduced = false};
    return groupJoin(comm, &part, stream);
}
