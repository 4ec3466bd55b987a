// The Matrix's memory in C++: sending takes only self-releasing blocks, directly or through a serializer.
#include "hiaiengine/ai_memory.h"
#include "hiaiengine/data_type_reg.h"
#include "hiaiengine/engine.h"
#include "hiaiengine/graph.h"

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1); \
        } \
    } while (0)

using hiai::HIAIMemory;

struct Message {
    std::shared_ptr<uint8_t> buffer;
    uint32_t size;
};

static void serialise(void *data, std::string &small, uint8_t *&buffer, uint32_t &size)
{
    Message *message = static_cast<Message *>(data);
    small = "small";
    buffer = message->buffer.get();
    size = message->size;
}

static std::shared_ptr<void> deserialise(const char *, const uint32_t &, const uint8_t *, const uint32_t &)
{
    return nullptr;
}

HIAI_REGISTER_SERIALIZE_FUNC("Message", Message, serialise, deserialise)

static void nothing(void *) {}

static void *allocate(uint32_t flag)
{
    void *made = nullptr;
    EXPECT(HIAIMemory::HIAI_DMalloc(4096, made, 1000, flag) == HIAI_OK && made != nullptr);
    return made;
}

int main()
{
    hiai::Engine engine;
    hiai::Graph graph;
    hiai::EnginePortID port = {1, 2, 3};
    void *taken = allocate(hiai::HIAI_MEMORY_ATTR_ATUO_FREE), *kept = allocate(hiai::HIAI_MEMORY_ATTR_MANUAL_FREE);
    EXPECT(HIAIMemory::IsDMalloc(taken, 4096) && !HIAIMemory::IsDMalloc(taken, 4097));
    EXPECT(engine.SendData(0, "plain", std::shared_ptr<void>(taken, nothing)) == HIAI_OK);
    EXPECT(engine.SendData(0, "plain", std::shared_ptr<void>(kept, nothing)) == HIAI_OK);
    EXPECT(!HIAIMemory::IsDMalloc(taken, 1) && HIAIMemory::HIAI_DFree(taken) != HIAI_OK);
    EXPECT(HIAIMemory::IsDMalloc(kept, 1) && HIAIMemory::HIAI_DFree(kept) == HIAI_OK);

    uint8_t *buried = static_cast<uint8_t *>(allocate(hiai::HIAI_MEMORY_ATTR_ATUO_FREE));
    std::shared_ptr<Message> message = std::make_shared<Message>();
    message->buffer = std::shared_ptr<uint8_t>(buried, nothing);
    message->size = 4096;
    EXPECT(graph.SendData(port, "Message", std::static_pointer_cast<void>(message)) == HIAI_OK);
    EXPECT(!HIAIMemory::IsDMalloc(buried, 1));

    void *media = nullptr;
    EXPECT(HIAIMemory::HIAI_DVPP_DMalloc(100, media) == HIAI_OK);
    EXPECT(engine.SendData(0, "plain", std::shared_ptr<void>(media, nothing)) == HIAI_OK);
    EXPECT(HIAIMemory::HIAI_DVPP_DFree(media) == HIAI_OK);
    EXPECT(HIAIMemory::HIAI_DMalloc(0, media) != HIAI_OK && media == nullptr);
    return 0;
}
