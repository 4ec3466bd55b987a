//@ flags: -lmatrixdaemon
// Each block is released by its owner: the sender before a send, the Matrix after it, the sender of manual and media memory. A message that
// carries its buffer inside, whose serializer hands it to the Matrix; the fate of blocks that existed then is unknown.
#include "hiaiengine/c_graph.h"
#include "matrix.h"

struct Message {
    char *buffer;
    uint32_t size;
};

static void serialise(void *data, std::string &small, uint8_t *&buffer, uint32_t &size) {
    small = "small";
    buffer = reinterpret_cast<uint8_t *>(static_cast<Message *>(data)->buffer);
    size = static_cast<Message *>(data)->size;
}

HIAI_REGISTER_SERIALIZE_FUNC("Message", Message, serialise, nullptr)

int main() {
    HIAIMemory::HIAI_DFree(automatic(100));
    send(automatic(200));
    char *once = manual(300);
    send(once);
    HIAIMemory::HIAI_DFree(once);
    void *media = nullptr;
    HIAIMemory::HIAI_DVPP_DMalloc(400, media);
    send(media);
    send(media);
    HIAIMemory::HIAI_DVPP_DFree(media);
    char *plain = allocate(500, hiai::HIAI_MEMORY_ATTR_NONE);
    send(plain);
    send(plain);
    HIAIMemory::HIAI_DFree(plain);

    HIAI_PortID_t port = {1, 2, 3};
    char *copied = automatic(600);
    HIAI_C_SendData(port, "copy", 600, copied);
    HIAI_C_SendData(port, "copy", 600, copied);
    HIAIMemory::HIAI_DFree(copied);

    hiai::Graph graph;
    hiai::EnginePortID target = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        std::shared_ptr<Message> message(new Message{automatic(700), 700});
        std::printf("sent: %u\n", graph.SendData(target, "Message", message));
    }
    std::shared_ptr<Message> before(new Message{automatic(800), 800});
    char *other = automatic(900);
    graph.SendData(target, "Message", before);
    HIAIMemory::HIAI_DFree(other);
    return 0;
}
