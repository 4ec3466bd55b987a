//@ flags: -lopapi -lnnopbase
// The same as empty_twice.c, fixed.
// https://github.com/DeepLink-org/DIOPI/pull/1346: one empty tensor is passed as two arguments, and the operator's destructor looks
// whether it has destroyed it already.
#include "../operators/operators.h"

int main(void) {
    begin();
    float *data = floats(16);
    aclTensor *empty = matrix(0, 4, NULL), *given = matrix(4, 4, data);
    const aclTensor *arguments[] = {given, empty, empty};
    for (int i = 0; i < 3; i++) {
        if (i == 0 || arguments[i] != arguments[i - 1]) MUST(aclDestroyTensor(arguments[i]));
    }
    MUST(aclrtFree(data));
    end();
    return 0;
}
