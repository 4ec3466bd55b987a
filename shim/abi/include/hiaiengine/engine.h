/* The legacy HiAI Matrix in C++: sending from an engine. Only the part of the class that the simulator has. */
#ifndef ACLSAN_HIAI_ENGINE_H
#define ACLSAN_HIAI_ENGINE_H

#include <memory>
#include <string>

#include "status.h"

namespace hiai {

constexpr uint32_t TIME_OUT_VALUE = 60 * 1000;

class Engine {
public:
    /* Sends what `dataPtr` points to; memory of the kind "auto free" then belongs to the Matrix. */
    HIAI_StatusT SendData(const uint32_t portId, const std::string &messageName, const std::shared_ptr<void> &dataPtr,
                          const uint32_t timeOut = TIME_OUT_VALUE);
};

} // namespace hiai

#endif
