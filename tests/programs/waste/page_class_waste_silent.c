// The same rows in normal pages, in one block, and few of them in huge ones: 10 lose 9 MiB.
#include "../rt.h"

enum { ROWS = 40, FEW = 10, BYTES = 1126400 };

int main(void) {
    begin();
    void *rows[ROWS], *few[FEW];
    char *pool = device(ROWS * (BYTES + 512));
    MUST(aclrtMemset(pool, BYTES, 0, BYTES));
    for (int i = 0; i < ROWS; i++) {
        MUST(aclrtMalloc(&rows[i], BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
        MUST(aclrtMemset(rows[i], BYTES, 0, BYTES));
    }
    for (int i = 0; i < FEW; i++) {
        few[i] = device(BYTES);
        MUST(aclrtMemset(few[i], BYTES, 0, BYTES));
    }
    for (int i = 0; i < ROWS; i++) MUST(aclrtFree(rows[i]));
    for (int i = 0; i < FEW; i++) MUST(aclrtFree(few[i]));
    MUST(aclrtFree(pool));
    end();
    return 0;
}
