//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// The rows that pad a table hold a block that is kept for them.
// https://github.com/NVIDIA/Megatron-LM/pull/5950: attention reads block -1 of the cache for requests that there are not.
#include "../indices/paged.h"

int main(void) {
    open_queue();
    attend(3, table_of(2, 2, (int32_t[]){2, 0, 0, 0}), (int64_t[]){20, 1}, 2);
    close_queue();
    return 0;
}
