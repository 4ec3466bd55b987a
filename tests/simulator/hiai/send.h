// The functions whose symbols name std::string: compiled once for each kind of it.
#include "deliver.h"

#pragma GCC visibility push(default)
#include "hiaiengine/data_type_reg.h"
#include "hiaiengine/engine.h"
#include "hiaiengine/graph.h"
#pragma GCC visibility pop

HIAIAutoRegister::HIAIAutoRegister(const char *name, HIAI_SerializeFunc serialize, HIAI_DeSerializeFunc)
{
    matrix::know(name, [serialize](void *message, std::uint8_t *&buffer, std::uint32_t &size) {
        std::string small;
        serialize(message, small, buffer, size);
    });
}

HIAI_StatusT hiai::Engine::SendData(const uint32_t, const std::string &messageName,
                                    const std::shared_ptr<void> &dataPtr, const uint32_t)
{
    return matrix::deliver(messageName.c_str(), dataPtr.get());
}

HIAI_StatusT hiai::Graph::SendData(const EnginePortID &, const std::string &messageName,
                                   const std::shared_ptr<void> &dataPtr, const uint32_t)
{
    return matrix::deliver(messageName.c_str(), dataPtr.get());
}
