//@ flags: -lopapi -lnnopbase -lhccl
// Objects of every kind that are made and never destroyed: DIOPI pull 1344 forgot the scalars and the arrays.
#include "../operators/objects.h"

int main(void) {
    begin();
    for (int step = 0; step < 3; step++) make();
    end();
    return 0;
}
