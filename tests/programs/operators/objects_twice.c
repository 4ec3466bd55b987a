//@ flags: -lopapi -lnnopbase -lhccl
// Scalars and arrays that are destroyed twice; a scalar that went with its list.
#include "operators.h"

int main(void) {
    begin();
    float one = 1;
    int64_t dims[] = {16, 16};
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    aclIntArray *axes = aclCreateIntArray(dims, 2);
    for (int i = 0; i < 2; i++) {
        MUST(aclDestroyScalar(alpha));
        MUST(aclDestroyIntArray(axes));
    }

    const aclScalar *parts[] = {aclCreateScalar(&one, ACL_FLOAT)};
    MUST(aclDestroyScalarList(aclCreateScalarList(parts, 1)));
    MUST(aclDestroyScalar(parts[0]));
    end();
    return 0;
}
