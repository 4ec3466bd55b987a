/* The legacy HiAI Matrix in C++: how a message type exposes its large data. */
#ifndef ACLSAN_HIAI_DATA_TYPE_REG_H
#define ACLSAN_HIAI_DATA_TYPE_REG_H

#include <memory>
#include <string>

#include "status.h"

typedef void (*HIAI_SerializeFunc)(void *dataPtr, std::string &structStr, uint8_t *&buffer, uint32_t &bufferSize);
typedef std::shared_ptr<void> (*HIAI_DeSerializeFunc)(const char *ctrlPtr, const uint32_t &ctrlLen,
                                                      const uint8_t *dataPtr, const uint32_t &dataLen);

class HIAIAutoRegister {
public:
    HIAIAutoRegister(const char *name, HIAI_SerializeFunc serialize, HIAI_DeSerializeFunc deserialize);
};

/* Messages called `name` carry a `Type`; `serialize` returns its small parts as a string, its large data by address. */
#define HIAI_REGISTER_SERIALIZE_FUNC(name, Type, serialize, deserialize) \
    static HIAIAutoRegister hiai_auto_get_hiai_func##Type(name, serialize, deserialize);

#endif
