//@ flags: -lnnopbase
// Blocks that are larger than what a step uses of them, and those that only look so.
#include "../rt.h"
#include "aclnn/acl_meta.h"
#include "aclsan.h"

enum { WHOLE = 1 << 20, HALF = WHOLE / 2, PART = 4096 };

static char *given(const char *category) {
    aclsan_category_push(category);
    char *block = device(WHOLE);
    aclsan_category_pop();
    return block;
}

static void touch(char *at, size_t count) {
    MUST(aclrtMemset(at, count, 0, count));
}

int main(void) {
    begin();
    char *tail = given("weights");
    char *halves = given("activations");
    char *idle = given("communication");
    char *described = given("workspace");
    const int64_t length = WHOLE;
    aclTensor *tensor = aclCreateTensor(&length, 1, ACL_INT8, NULL, 0, ACL_FORMAT_ND, &length, 1, described);
    char *front = given("kv_cache");
    aclsan_pool pool = aclsan_pool_create("front", front, WHOLE);
    aclsan_category_push("gradients");
    aclsan_pool_alloc(pool, front, PART);
    aclsan_category_pop();
    aclsan_pool_alloc(pool, front + PART, HALF - PART);
    char *back = given("optimizer_state");
    aclsan_pool last = aclsan_pool_create("back", back, WHOLE);
    aclsan_pool_alloc(last, back + WHOLE - PART, PART);
    for (int step = 0; step < 4; step++) {
        aclsan_epoch("step");
        char *within = given("temporary");
        touch(within, HALF);
        MUST(aclrtFree(within));
        touch(tail, WHOLE / 4);
        touch(halves, HALF);
        touch(halves + HALF, HALF);
        touch(described, HALF);
        touch(front, PART / 2);
        touch(back, PART);
    }
    aclsan_pool_destroy(last);
    aclsan_pool_destroy(pool);
    MUST(aclDestroyTensor(tensor));
    char *all[] = {tail, halves, idle, described, front, back};
    for (int i = 0; i < 6; i++) MUST(aclrtFree(all[i]));
    end();
    return 0;
}
