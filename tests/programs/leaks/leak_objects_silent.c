//@ flags: -lopapi -lnnopbase -lhccl
// The same objects, each destroyed by the call that belongs to it; scalars also with the list that they are in.
#include "../operators/objects.h"

int main(void) {
    begin();
    for (int step = 0; step < 3; step++) {
        struct objects all = make();
        destroy(&all);
    }
    end();
    return 0;
}
