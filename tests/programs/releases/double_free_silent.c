// The same address is released twice, but it was another block the second time.
#include "../rt.h"

int main(void) {
    begin();
    char *first = device(4096);
    MUST(aclrtFree(first));
    char *again = device(4096);
    printf("%s\n", first == again ? "same address" : "another address");
    MUST(aclrtFree(again));
    end();
    return 0;
}
