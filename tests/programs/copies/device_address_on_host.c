// Ordinary host memory where AscendCL's own is wanted.
#include "../rt.h"

int main(void) {
    begin();
    static char table[256];
    aclrtMemset(table, sizeof table, 0, sizeof table);
    end();
    return 0;
}
