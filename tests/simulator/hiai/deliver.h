// Handling of messages, for both kinds of std::string.
#ifndef SIMULATOR_HIAI_DELIVER_H
#define SIMULATOR_HIAI_DELIVER_H

#include <cstdint>
#include <functional>

#include "hiaiengine/status.h"

namespace matrix {

// Finds the large data of a message.
using Large = std::function<void(void *message, std::uint8_t *&buffer, std::uint32_t &size)>;

void know(const char *name, Large large);
// Sends the message's large data, or what `message` points to where its type is not known. Nobody receives it.
HIAI_StatusT deliver(const char *name, void *message);

} // namespace matrix

#endif
