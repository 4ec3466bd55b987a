/* Pools of host memory from which the real library takes executors. Only their calls are here: torch_npu makes them around each
 * operator that no kept plan serves. Source: opbase, src/nnopbase/composite_op/mem_mgr/huge_mem.cpp. */
#include "../entry.h"

int InitHugeMemThreadLocal(void *arg, bool sync)
{
    (void)arg, (void)sync;
    return 0;
}

void UnInitHugeMemThreadLocal(void *arg, bool sync)
{
    (void)arg, (void)sync;
}

void ReleaseHugeMem(void *arg, bool sync)
{
    (void)arg, (void)sync;
}
