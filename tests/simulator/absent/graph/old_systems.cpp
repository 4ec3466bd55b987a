// Containers of GCC 11 and later call a function that the libstdc++ of older systems lacks, for lengths that no array can have.
#include <cstdlib>

extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void _ZSt28__throw_bad_array_new_lengthv()
{
    std::abort();
}
