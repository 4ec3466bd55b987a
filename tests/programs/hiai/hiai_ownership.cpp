//@ flags: -lmatrixdaemon
// Sent memory is released by its sender, sent once more, and a block that may be sent once is sent twice.
#include "matrix.h"

static void releasedAfterSending() {
    char *block = automatic(1000);
    std::printf("sent: %u\n", send(block));
    std::printf("released: %d\n", HIAIMemory::HIAI_DFree(block) == HIAI_OK);
}

static void sentAgain() {
    char *block = automatic(2000);
    send(block);
    send(block);
}

static void sentTwice() {
    char *block = manual(3000);
    send(block);
    send(block);
    std::printf("released: %d\n", HIAIMemory::HIAI_DFree(block) == HIAI_OK);
}

int main() {
    releasedAfterSending();
    sentAgain();
    sentTwice();
    return 0;
}
