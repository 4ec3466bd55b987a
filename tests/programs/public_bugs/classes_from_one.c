//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// Labels from 1 to 5 for five classes.
// https://github.com/PaddlePaddle/PaddleClas/issues/389: the loss reads a sixth score.
#include "../indices/indices.h"

int main(void) {
    open_queue();
    aclTensor *labels = NUMBERS(1, 5, 3);
    RUN(aclnnNLLLoss, ZEROS(3, 5), labels, ZEROS(5, 0), 1, -100, ZEROS(1, 0), ZEROS(1, 0));
    close_queue();
    return 0;
}
