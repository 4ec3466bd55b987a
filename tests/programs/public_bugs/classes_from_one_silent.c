//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// Labels from 0 to 4 for five classes.
// https://github.com/PaddlePaddle/PaddleClas/issues/389: the loss reads a sixth score.
#include "../indices/indices.h"

int main(void) {
    open_queue();
    aclTensor *labels = NUMBERS(0, 4, 2);
    RUN(aclnnNLLLoss, ZEROS(3, 5), labels, ZEROS(5, 0), 1, -100, ZEROS(1, 0), ZEROS(1, 0));
    close_queue();
    return 0;
}
