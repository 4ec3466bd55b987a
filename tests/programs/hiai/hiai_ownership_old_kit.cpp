//@ flags: -lmatrixdaemon -D_GLIBCXX_USE_CXX11_ABI=0
// The symbols that the older std::string gives SendData, of an engine and of a graph: both take what releases itself.
#include "matrix.h"

int main() {
    hiai::Graph graph;
    hiai::EnginePortID port = {1, 2, 3};
    char *block = automatic(1000), *other = automatic(2000);
    send(block);
    HIAIMemory::HIAI_DFree(block);
    std::printf("sent: %u\n", graph.SendData(port, "block", std::shared_ptr<void>(other, nothing)));
    HIAIMemory::HIAI_DFree(other);
    return 0;
}
