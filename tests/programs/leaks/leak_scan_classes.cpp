//@ options: leak_scan=1
// Blocks that only lost C++ objects know: of a class with virtual functions, in a namespace and a template, shared; and of one without.
#include "../rt.h"

#include <memory>
#include <new>
#include <vector>

namespace net {
template <class T> struct Layer {
    explicit Layer(size_t size) : weights(device(size)) {}
    virtual ~Layer() = default;
    virtual int depth() const { return 1; }
    T scale = 1;
    char *weights;
};
} // namespace net

struct Plain {
    char *weights;
};

struct Shared {
    char *weights = device(64);
    virtual ~Shared() = default;
};

__attribute__((noinline)) static void forget() {
    char deep[16384];
    memset(deep, 0, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory");
}

__attribute__((noinline)) static void lose(const char *way) {
    if (!strcmp(way, "template")) (void)new net::Layer<float>(64);
    if (!strcmp(way, "plain")) (void)new Plain{device(64)};
    if (!strcmp(way, "shared")) (void)new std::shared_ptr<Shared>(std::make_shared<Shared>());
}

int main(int count, char **arguments) {
    begin();
    lose(count > 1 ? arguments[1] : "");
    forget();
    end();
    return 0;
}
