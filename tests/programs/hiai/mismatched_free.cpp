//@ flags: -lmatrixdaemon -DHIAI_TIMEOUT_BY_VALUE
// The newer kit's symbols: each kind of the Matrix's memory goes to the other's release, then to its own.
#include "matrix.h"

int main() {
    char *block = manual(1000);
    void *media = nullptr;
    HIAIMemory::HIAI_DVPP_DMalloc(2000, media);
    std::printf("accepted: %d\n", HIAIMemory::HIAI_DVPP_DFree(block) == HIAI_OK);
    std::printf("accepted: %d\n", HIAIMemory::HIAI_DFree(media) == HIAI_OK);
    HIAIMemory::HIAI_DFree(block);
    HIAIMemory::HIAI_DVPP_DFree(media);
    return 0;
}
