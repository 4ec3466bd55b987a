// A release twice, below functions whose names are as long as those of a tensor library's dispatcher.
#include "../rt.h"
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#define KEPT __attribute__((noinline))

namespace at {
struct Tensor {
    void *data;
};

KEPT void empty_cache(Tensor &tensor) {
    (void)aclrtFree(tensor.data);
    asm volatile(""); // no tail call
}
} // namespace at

namespace c10::impl {
template <class... Types> struct typelist {};

template <class Functor, class Result, class List> struct wrap_kernel_functor_unboxed_;

template <class Functor, class Result, class... Arguments>
struct wrap_kernel_functor_unboxed_<Functor, Result, typelist<Arguments...>> {
    KEPT static Result call(Functor &functor, Arguments &&...arguments) {
        functor(std::forward<Arguments>(arguments)...);
        asm volatile("");
    }
};
} // namespace c10::impl

namespace {
using Options = std::map<std::string, std::vector<std::pair<std::string, std::tuple<int, long, std::string>>>>;

KEPT void redispatch(at::Tensor &tensor, const Options &options) {
    std::function<void(at::Tensor &, const Options &)> kernel = [](at::Tensor &tensor, const Options &) KEPT {
        at::empty_cache(tensor);
        asm volatile("");
    };
    using Wrapped = c10::impl::wrap_kernel_functor_unboxed_<decltype(kernel), void,
                                                            c10::impl::typelist<at::Tensor &, const Options &>>;
    Wrapped::call(kernel, tensor, options);
    asm volatile("");
}
} // namespace

int main() {
    begin();
    at::Tensor tensor{device(256)};
    at::empty_cache(tensor);
    redispatch(tensor, {});
    end();
}
