/* The legacy HiAI Matrix in C++: sending from the host. Only the part of the class that the simulator has. */
#ifndef ACLSAN_HIAI_GRAPH_H
#define ACLSAN_HIAI_GRAPH_H

#include <memory>
#include <string>

#include "status.h"

namespace hiai {

constexpr uint32_t SEND_DATA_DEFAULT_TIME_OUT = 100000;

struct EnginePortID {
    uint32_t graph_id;
    uint32_t engine_id;
    uint32_t port_id;
};

class Graph {
public:
    /* As Engine::SendData. */
    HIAI_StatusT SendData(const EnginePortID &targetPortConfig, const std::string &messageName,
                          const std::shared_ptr<void> &dataPtr, const uint32_t timeOut = SEND_DATA_DEFAULT_TIME_OUT);
};

} // namespace hiai

#endif
