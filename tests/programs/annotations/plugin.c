/* Another shared object with mstx, and so with another table; it continues in a domain of the program. */
#include "mstx.h"

void work(char *block) {
    mstxDomainHandle_t atb = mstxDomainCreateA("atb");
    mstxMemVirtualRangeDesc_t range = {0, block + 300032, 50};
    mstxMemRegionHandle_t handle = NULL;
    careful_alloc(atb, NULL, 1, &range, &handle);
    mstxMarkA("plug-in", NULL);
}
