// A range, memory and mappings that are never released.
#include "../virtual_memory/vm.h"

int main(void) {
    begin();
    char *range = reserved(16 * PAGE);
    for (int i = 0; i < 3; i++)
        map(range + 2 * i * PAGE, 2 * PAGE, memory(2 * PAGE));
    end();
    return 0;
}
