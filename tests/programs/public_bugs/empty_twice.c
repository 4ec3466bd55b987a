//@ flags: -lopapi -lnnopbase
// One tensor used as two arguments is destroyed for each.
// https://github.com/DeepLink-org/DIOPI/pull/1346: one empty tensor is passed as two arguments, and the operator's destructor destroys it
// for each.
#include "../operators/operators.h"

int main(void) {
    begin();
    float *data = floats(16);
    aclTensor *empty = matrix(0, 4, NULL), *given = matrix(4, 4, data);
    const aclTensor *arguments[] = {given, empty, empty};
    for (int i = 0; i < 3; i++) {
        MUST(aclDestroyTensor(arguments[i]));
    }
    MUST(aclrtFree(data));
    end();
    return 0;
}
