/* Messages: one, several in a call, and several calls as one group. */
#include <stdlib.h>

#include "check.h"

/* Of the group that this thread has begun: messages wait for its end. Its list is this thread's own. */
struct held {
    struct rank *rank;
    aclrtStream stream;
    struct message message;
};

static _Thread_local struct held *held;
static _Thread_local uint32_t held_count, depth;

static HcclResult hold(struct rank *rank, const struct message *message, aclrtStream stream)
{
    struct held *more = realloc(held, (held_count + 1) * sizeof *held);
    CHECK(more != NULL, HCCL_E_MEMORY);
    held = more;
    rankHold(rank);
    held[held_count++] = (struct held){rank, stream, *message};
    return HCCL_SUCCESS;
}

static HcclResult post(struct rank *rank, const struct message *message, aclrtStream stream)
{
    return depth > 0 ? hold(rank, message, stream) : groupMessages(rank, message, 1, stream);
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream)
{
    CHECK(sendBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(destRank < rank->size && destRank != rank->number, HCCL_E_PARA);
    const struct message message = {destRank, true, sendBuf, count * hcclElementBytes(dataType), 0};
    return post(rank, &message, stream);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream)
{
    CHECK(recvBuf != NULL && comm != NULL, HCCL_E_PTR);
    CHECK_TYPE(dataType);
    struct rank *rank = comm;
    CHECK(srcRank < rank->size && srcRank != rank->number, HCCL_E_PARA);
    const struct message message = {srcRank, false, recvBuf, count * hcclElementBytes(dataType), 0};
    return post(rank, &message, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream)
{
    CHECK(sendRecvInfo != NULL && comm != NULL, HCCL_E_PTR);
    CHECK(itemNum > 0, HCCL_E_PARA);
    struct rank *rank = comm;
    struct message *messages = calloc(itemNum, sizeof *messages);
    CHECK(messages != NULL, HCCL_E_MEMORY);
    HcclResult result = HCCL_SUCCESS;
    for (uint32_t i = 0; i < itemNum && result == HCCL_SUCCESS; i++) {
        const HcclSendRecvItem *item = &sendRecvInfo[i];
        bool is_kind = item->sendRecvType == HCCL_SEND || item->sendRecvType == HCCL_RECV;
        result = item->buf == NULL                            ? HCCL_E_PTR
                 : !is_kind || item->remoteRank >= rank->size ? HCCL_E_PARA
                 : hcclElementBytes(item->dataType) == 0      ? HCCL_E_NOT_SUPPORT
                                                              : HCCL_SUCCESS;
        messages[i] = (struct message){item->remoteRank, item->sendRecvType == HCCL_SEND, item->buf,
                                       item->count * hcclElementBytes(item->dataType), 0};
    }
    if (result == HCCL_SUCCESS) {
        result = groupMessages(rank, messages, itemNum, stream);
    }
    free(messages);
    return result;
}

HcclResult HcclGroupStart(void)
{
    depth++;
    return HCCL_SUCCESS;
}

/* Those of the first one's communicator and stream, as one task; the rest moves to the front. */
static HcclResult postFirst(struct message *messages)
{
    const struct held first = held[0];
    uint32_t taken = 0, left = 0;
    for (uint32_t i = 0; i < held_count; i++) {
        if (held[i].rank == first.rank && held[i].stream == first.stream) {
            messages[taken++] = held[i].message;
        } else {
            held[left++] = held[i];
        }
    }
    held_count = left;
    HcclResult result = groupMessages(first.rank, messages, taken, first.stream);
    for (; taken > 0; taken--) {
        rankLeave(first.rank);
    }
    return result;
}

HcclResult HcclGroupEnd(void)
{
    CHECK(depth > 0, HCCL_E_PARA);
    if (--depth > 0 || held_count == 0) {
        return HCCL_SUCCESS;
    }
    struct message *messages = calloc(held_count, sizeof *messages);
    CHECK(messages != NULL, HCCL_E_MEMORY);
    HcclResult result = HCCL_SUCCESS;
    while (held_count > 0) {
        HcclResult next = postFirst(messages);
        result = result == HCCL_SUCCESS ? next : result;
    }
    free(messages);
    free(held);
    held = NULL;
    return result;
}
