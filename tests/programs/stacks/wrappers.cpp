//@ options: skip_frames='Tensor::*,^pool_*,^device$'
// A release twice, in a class that owns the memory of all others: stacks begin with its callers.
#include "../rt.h"

#define KEPT __attribute__((noinline))

KEPT static void pool_free(void *block) {
    (void)aclrtFree(block);
    asm volatile(""); // no tail call
}

struct Tensor {
    void *data;
    KEPT explicit Tensor(size_t bytes) : data(device(bytes)) {}
    KEPT void release() {
        pool_free(data);
        asm volatile("");
    }
};

KEPT static void drop_weights(Tensor &weights) {
    weights.release();
    asm volatile("");
}

int main() {
    begin();
    Tensor weights(64);
    drop_weights(weights);
    drop_weights(weights);
    end();
}
