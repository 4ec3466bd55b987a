// The Matrix's memory: live blocks, who releases them, and the limit on their total.
#ifndef SIMULATOR_HIAI_POOL_H
#define SIMULATOR_HIAI_POOL_H

#include <cstddef>
#include <cstdint>

namespace matrix {

enum class Kind { Ordinary, Media };

// nullptr for a size out of range, and when no memory came back within `milliseconds`.
void *allocate(Kind kind, std::uint32_t size, std::uint32_t milliseconds, std::uint32_t flag);
// False unless a live block of this kind starts at `address`.
bool release(Kind kind, void *address);
// Whether a live block starts at `address` and holds `size` bytes.
bool holds(const void *address, std::uint32_t size);
// The transfer took place: a block that starts at `address` and releases itself is gone.
void sent(void *address);

} // namespace matrix

#endif
