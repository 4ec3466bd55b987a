/* Communicators: made in one process, or between processes that have the same root info; their properties. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static HcclResult join(const HcclRootInfo *info, uint32_t number, uint32_t size, bool is_awaited, HcclComm *comm)
{
    struct segment *segment = segmentOpen(info);
    CHECK(segment != NULL, HCCL_E_TCP_CONNECT);
    unsigned long long nonce = segment->nonce;
    struct rank *rank;
    HcclResult result = rankJoin(segment, number, size, is_awaited, &rank);
    CHECK(result == HCCL_SUCCESS, result);
    snprintf(rank->name, sizeof rank->name, "group_%llx", nonce);
    *comm = rank;
    return HCCL_SUCCESS;
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
    CHECK(devices != NULL && comms != NULL, HCCL_E_PTR);
    CHECK(ndev > 0 && ndev <= RANKS, HCCL_E_PARA);
    HcclRootInfo info;
    CHECK(segmentNew(&info), HCCL_E_MEMORY);
    HcclResult result = HCCL_SUCCESS;
    uint32_t made = 0;
    while (made < ndev && (result = join(&info, made, ndev, false, &comms[made])) == HCCL_SUCCESS) {
        made++;
    }
    while (result != HCCL_SUCCESS && made > 0) {
        rankLeave(comms[--made]);
    }
    segmentForget(&info);
    return result;
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    CHECK(rootInfo != NULL, HCCL_E_PTR);
    return segmentNew(rootInfo) ? HCCL_SUCCESS : HCCL_E_MEMORY;
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm)
{
    CHECK(rootInfo != NULL && comm != NULL && config != NULL, HCCL_E_PTR);
    HcclResult result = HcclCommInitRootInfo(nRanks, rootInfo, rank, comm);
    if (result == HCCL_SUCCESS && config->hcclCommName[0] != '\0') {
        struct rank *made = *comm;
        snprintf(made->name, sizeof made->name, "%.*s", (int)sizeof config->hcclCommName - 1, config->hcclCommName);
    }
    return result;
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm)
{
    CHECK(rootInfo != NULL && comm != NULL, HCCL_E_PTR);
    CHECK(nRanks > 0 && nRanks <= RANKS && rank < nRanks, HCCL_E_PARA);
    HcclResult result = join(rootInfo, rank, nRanks, true, comm);
    if (result == HCCL_SUCCESS) {
        segmentForget(rootInfo);
    }
    return result;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
    CHECK(comm != NULL, HCCL_E_PTR);
    rankLeave(comm);
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
    CHECK(comm != NULL && rankSize != NULL, HCCL_E_PTR);
    *rankSize = ((struct rank *)comm)->size;
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
    CHECK(comm != NULL && rank != NULL, HCCL_E_PTR);
    *rank = ((struct rank *)comm)->number;
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm comm, char *commName)
{
    CHECK(comm != NULL && commName != NULL, HCCL_E_PTR);
    strcpy(commName, ((struct rank *)comm)->name);
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
    CHECK(comm != NULL && asyncError != NULL, HCCL_E_PTR);
    *asyncError = atomic_load(&((struct rank *)comm)->segment->lost) == 0 ? HCCL_SUCCESS : HCCL_E_REMOTE;
    return HCCL_SUCCESS;
}

const char *HcclGetErrorString(HcclResult code)
{
    switch (code) {
    case HCCL_SUCCESS: return "no error";
    case HCCL_E_PARA: return "parameter error";
    case HCCL_E_PTR: return "empty pointer";
    case HCCL_E_MEMORY: return "memory error";
    case HCCL_E_INTERNAL: return "internal error";
    case HCCL_E_NOT_SUPPORT: return "not supported";
    case HCCL_E_NOT_FOUND: return "not found";
    case HCCL_E_UNAVAIL: return "resource unavailable";
    case HCCL_E_TIMEOUT: return "timeout";
    case HCCL_E_TCP_CONNECT: return "cannot reach the root";
    case HCCL_E_RUNTIME: return "error of the runtime";
    case HCCL_E_REMOTE: return "error of another rank";
    default: return "unknown error";
    }
}

/* The results of the simulator are the same in each run, whatever is chosen. */
static HcclConfigValue chosen[HCCL_CONFIG_RESERVED];

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
    CHECK(config >= HCCL_DETERMINISTIC && config < HCCL_CONFIG_RESERVED, HCCL_E_PARA);
    chosen[config] = configValue;
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
    CHECK(configValue != NULL, HCCL_E_PTR);
    CHECK(config >= HCCL_DETERMINISTIC && config < HCCL_CONFIG_RESERVED, HCCL_E_PARA);
    *configValue = chosen[config];
    return HCCL_SUCCESS;
}
