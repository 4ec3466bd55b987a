//@ flags: -lmatrixdaemon -DHIAI_TIMEOUT_BY_VALUE
// Blocks that the Matrix would release after sending are neither sent nor released, a manual one is not released; sent blocks are no leak.
#include "../hiai/matrix.h"

int main() {
    for (volatile int i = 0; i < 2; i = i + 1) {
        automatic(1000);
    }
    manual(2000);
    send(automatic(3000));
    return 0;
}
