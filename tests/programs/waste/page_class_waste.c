// Rows of 1.1 MiB get 2 MiB of huge pages each: 40 lose 36 MiB.
#include "../rt.h"

enum { ROWS = 40, BYTES = 1126400 };

static char *row(void) {
    return device(BYTES);
}

int main(void) {
    begin();
    char *rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        rows[i] = row();
        MUST(aclrtMemset(rows[i], BYTES, 0, BYTES));
    }
    for (int i = 0; i < ROWS; i++) MUST(aclrtFree(rows[i]));
    end();
    return 0;
}
