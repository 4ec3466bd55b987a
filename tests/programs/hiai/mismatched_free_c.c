//@ flags: -lmatrixdaemon
// The Matrix's memory goes to every other release and theirs to its own; also twice, and by the middle. The rightful release follows.
#include "../rt.h"
#include "hiaiengine/c_graph.h"

enum { MANUAL_FREE = 4 };

static void tell(int status) {
    printf("accepted: %d\n", status == 0);
}

int main(void) {
    begin();
    char *block = HIAI_DMalloc(1000, 0, MANUAL_FREE), *media = HIAI_DVPP_DMalloc(2000);
    tell(HIAI_DVPP_DFree(block));
    tell(HIAI_DFree(media));
    tell(aclrtFree(block));
    tell(aclrtFreeHost(block));
    tell(acldvppFree(media));
    tell(hi_mpi_dvpp_free(media));
    tell(HIAI_DFree(block + 10));
    tell(HIAI_DFree(block));
    tell(HIAI_DFree(block));
    tell(HIAI_DVPP_DFree(media));
    tell(HIAI_DFree(NULL));
    char *plain = device(64), *own = pinned(64), *picture = dvpp(64);
    tell(HIAI_DFree(plain));
    tell(HIAI_DVPP_DFree(own));
    tell(HIAI_DVPP_DFree(picture));
    MUST(aclrtFree(plain));
    MUST(aclrtFreeHost(own));
    MUST(acldvppFree(picture));
    end();
    return 0;
}
