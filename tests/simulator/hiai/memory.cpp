// HIAI_DMalloc and related functions, in C and as statics. Both forms of the static are here, for callers of either DDK.
#include <cstdint>

#include <dlfcn.h>

#include "hiaiengine/c_graph.h"
#include "pool.h"

#define EXPORTED __attribute__((visibility("default")))

using matrix::Kind;

extern "C" {

EXPORTED void *HIAI_DMalloc(const uint32_t dataSize, const uint32_t timeOut, uint32_t flag)
{
    return matrix::allocate(Kind::Ordinary, dataSize, timeOut, flag);
}

EXPORTED HIAI_StatusT HIAI_DFree(void *dataBuffer)
{
    return matrix::release(Kind::Ordinary, dataBuffer) ? HIAI_OK : HIAI_ERROR;
}

EXPORTED void *HIAI_DVPP_DMalloc(const uint32_t dataSize)
{
    return matrix::allocate(Kind::Media, dataSize, 0, 0);
}

EXPORTED HIAI_StatusT HIAI_DVPP_DFree(void *dataBuffer)
{
    return matrix::release(Kind::Media, dataBuffer) ? HIAI_OK : HIAI_ERROR;
}

} // extern "C"

namespace hiai {

class EXPORTED HIAIMemory {
public:
    static HIAI_StatusT HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer, const uint32_t &timeOut,
                                     uint32_t flag);
    static HIAI_StatusT HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer, const uint32_t timeOut, uint32_t flag);
    static HIAI_StatusT HIAI_DFree(void *dataBuffer);
    static bool IsDMalloc(const void *dataBuffer, const uint32_t &dataSize);
    static HIAI_StatusT HIAI_DVPP_DMalloc(const uint32_t dataSize, void *&dataBuffer);
    static HIAI_StatusT HIAI_DVPP_DFree(void *dataBuffer);
};

// The statics call the C functions through the loader, as an implementation in several libraries would: who preloads
// both sees one allocation twice.
template <typename Function> static Function *byName(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

static HIAI_StatusT allocated(void *made, void *&dataBuffer)
{
    dataBuffer = made;
    return made ? HIAI_OK : HIAI_ERROR;
}

static HIAI_StatusT ordinary(uint32_t size, void *&dataBuffer, uint32_t timeOut, uint32_t flag)
{
    return allocated(byName<decltype(::HIAI_DMalloc)>("HIAI_DMalloc")(size, timeOut, flag), dataBuffer);
}

HIAI_StatusT HIAIMemory::HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer, const uint32_t &timeOut,
                                      uint32_t flag)
{
    return ordinary(dataSize, dataBuffer, timeOut, flag);
}

HIAI_StatusT HIAIMemory::HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer, const uint32_t timeOut, uint32_t flag)
{
    return ordinary(dataSize, dataBuffer, timeOut, flag);
}

HIAI_StatusT HIAIMemory::HIAI_DFree(void *dataBuffer)
{
    return byName<decltype(::HIAI_DFree)>("HIAI_DFree")(dataBuffer);
}

bool HIAIMemory::IsDMalloc(const void *dataBuffer, const uint32_t &dataSize)
{
    return matrix::holds(dataBuffer, dataSize);
}

HIAI_StatusT HIAIMemory::HIAI_DVPP_DMalloc(const uint32_t dataSize, void *&dataBuffer)
{
    return allocated(byName<decltype(::HIAI_DVPP_DMalloc)>("HIAI_DVPP_DMalloc")(dataSize), dataBuffer);
}

HIAI_StatusT HIAIMemory::HIAI_DVPP_DFree(void *dataBuffer)
{
    return byName<decltype(::HIAI_DVPP_DFree)>("HIAI_DVPP_DFree")(dataBuffer);
}

} // namespace hiai
