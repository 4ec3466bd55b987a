#include "pool.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include <dlfcn.h>
#include <sys/mman.h>

#include "hiaiengine/ai_memory.h"
#include "hiaiengine/c_graph.h"

namespace {

constexpr std::uint32_t MOST = 256u << 20;    // one block, on the host
constexpr std::uint64_t CAPACITY = 1ull << 30; // all blocks together: a choice of ours
constexpr std::uint64_t PAGE = 4096;

struct Block {
    matrix::Kind kind;
    std::uint32_t size, flag;
};

// Never destroyed: programs release in their own exit handlers.
struct Pool {
    std::mutex lock;
    std::condition_variable released;
    std::map<std::uintptr_t, Block> blocks;
    std::uint64_t out = 0;
};

Pool &pool()
{
    static Pool *made = new Pool;
    return *made;
}

std::uint64_t pages(std::uint32_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

void drop(Pool &all, std::map<std::uintptr_t, Block>::iterator at)
{
    munmap(reinterpret_cast<void *>(at->first), pages(at->second.size));
    all.out -= pages(at->second.size);
    all.blocks.erase(at);
    all.released.notify_all();
}

} // namespace

void *matrix::allocate(Kind kind, std::uint32_t size, std::uint32_t milliseconds, std::uint32_t flag)
{
    if (size == 0 || size > MOST) {
        return nullptr;
    }
    Pool &all = pool();
    std::unique_lock<std::mutex> guard(all.lock);
    auto fits = [&] { return all.out + pages(size) <= CAPACITY; };
    if (!all.released.wait_for(guard, std::chrono::milliseconds(milliseconds), fits)) {
        return nullptr;
    }
    void *address = mmap(nullptr, pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
        return nullptr;
    }
    all.out += pages(size);
    all.blocks[reinterpret_cast<std::uintptr_t>(address)] = Block{kind, size, flag};
    return address;
}

bool matrix::release(Kind kind, void *address)
{
    Pool &all = pool();
    std::lock_guard<std::mutex> guard(all.lock);
    auto at = all.blocks.find(reinterpret_cast<std::uintptr_t>(address));
    if (at == all.blocks.end() || at->second.kind != kind) {
        return false;
    }
    drop(all, at);
    return true;
}

bool matrix::holds(const void *address, std::uint32_t size)
{
    Pool &all = pool();
    std::lock_guard<std::mutex> guard(all.lock);
    auto at = all.blocks.find(reinterpret_cast<std::uintptr_t>(address));
    return at != all.blocks.end() && size <= at->second.size;
}

template <typename Function> static Function *byName(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

// The transfer is over when the call returns. The receiver's buffer, which it keeps, and the release are the Matrix's
// own, in a thread of its own, by public names, as a framework of several libraries would have them.
void matrix::sent(void *address)
{
    bool is_ours;
    {
        Pool &all = pool();
        std::lock_guard<std::mutex> guard(all.lock);
        auto at = all.blocks.find(reinterpret_cast<std::uintptr_t>(address));
        is_ours = at != all.blocks.end() && at->second.kind == Kind::Ordinary &&
                  (at->second.flag & hiai::HIAI_MEMORY_ATTR_ATUO_FREE);
    }
    if (is_ours) {
        std::thread([address] {
            static void *receiver = byName<decltype(HIAI_DMalloc)>("HIAI_DMalloc")(
                4096, 0, hiai::HIAI_MEMORY_ATTR_ATUO_FREE);
            (void)receiver;
            (void)byName<decltype(HIAI_DFree)>("HIAI_DFree")(address);
        }).join();
    }
}
