//@ flags: -lopapi -lnnopbase -lhccl
// Objects at addresses of earlier ones, destroyed once each; NULL, which the calls accept.
#include "objects.h"

int main(void) {
    begin();
    for (int step = 0; step < 20; step++) {
        struct objects all = make();
        destroy(&all);
    }
    MUST(aclDestroyScalar(NULL));
    MUST(aclDestroyIntArray(NULL));
    aclDestroyTensorDesc(NULL);
    aclopDestroyAttr(NULL);
    end();
    return 0;
}
