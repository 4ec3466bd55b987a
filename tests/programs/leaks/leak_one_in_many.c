// A server that forgets to release the memory of one request in 10,000. Nearly all calls have only their caller recorded, if stacks are sampled.
#include "../rt.h"

enum { REQUESTS = 10000, FORGOTTEN = 7777, BYTES = 640 };

__attribute__((noinline)) static void *request(void) {
    void *answer = NULL;
    MUST(aclrtMalloc(&answer, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    return answer;
}

__attribute__((noinline)) static void serve(int number) {
    void *answer = request();
    if (number != FORGOTTEN) MUST(aclrtFree(answer));
}

int main(void) {
    begin();
    for (int number = 0; number < REQUESTS; number++) serve(number);
    return 0;
}
