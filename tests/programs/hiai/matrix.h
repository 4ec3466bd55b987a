// What the Matrix's C++ programs share: blocks, and sending them as messages.
#ifndef PROGRAMS_MATRIX_H
#define PROGRAMS_MATRIX_H
#include "hiaiengine/ai_memory.h"
#include "hiaiengine/data_type_reg.h"
#include "hiaiengine/engine.h"
#include "hiaiengine/graph.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using hiai::HIAIMemory;

static void nothing(void *) {}

static inline char *allocate(uint32_t size, uint32_t flag) {
    void *block = nullptr;
    if (HIAIMemory::HIAI_DMalloc(size, block, 1000, flag) != HIAI_OK) {
        std::exit(9);
    }
    std::memset(block, 1, size);
    return static_cast<char *>(block);
}

static inline char *automatic(uint32_t size) { return allocate(size, hiai::HIAI_MEMORY_ATTR_ATUO_FREE); }

static inline char *manual(uint32_t size) { return allocate(size, hiai::HIAI_MEMORY_ATTR_MANUAL_FREE); }

static inline uint32_t send(void *block) {
    hiai::Engine engine;
    return engine.SendData(0, "block", std::shared_ptr<void>(block, nothing));
}
#endif
