#include "deliver.h"

#include <map>
#include <mutex>
#include <string>

#include "hiaiengine/c_graph.h"
#include "pool.h"

namespace {

struct Types {
    std::mutex lock;
    std::map<std::string, matrix::Large> known;
};

Types &types()
{
    static Types *made = new Types;
    return *made;
}

matrix::Large find(const char *name)
{
    Types &all = types();
    std::lock_guard<std::mutex> guard(all.lock);
    auto at = all.known.find(name);
    return at == all.known.end() ? matrix::Large() : at->second;
}

} // namespace

void matrix::know(const char *name, Large large)
{
    Types &all = types();
    std::lock_guard<std::mutex> guard(all.lock);
    all.known[name] = large;
}

HIAI_StatusT matrix::deliver(const char *name, void *message)
{
    if (message == nullptr) {
        return HIAI_ERROR;
    }
    Large large = find(name);
    std::uint8_t *buffer = static_cast<std::uint8_t *>(message);
    std::uint32_t size = 0;
    if (large) {
        buffer = nullptr;
        large(message, buffer, size);
    }
    sent(buffer);
    return HIAI_OK;
}

extern "C" __attribute__((visibility("default"))) HIAI_StatusT HIAI_C_SendData(HIAI_PortID_t, const char *messageName,
                                                                               size_t, void *dataPtr)
{
    return messageName != nullptr && dataPtr != nullptr ? HIAI_OK : HIAI_ERROR;
}
