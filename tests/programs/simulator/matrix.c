//@ run
//@ link: matrixdaemon
/* The Matrix's memory in C: sizes, who releases what, and waiting for memory. */
#include "expect.h"
#include "hiaiengine/c_graph.h"

#include <pthread.h>

enum { AUTO_FREE = 2, MANUAL_FREE = 4, MEBI = 1 << 20, WHOLE = 256 * MEBI };

static void *releaser(void *block)
{
    OK(HIAI_DFree(block));
    return NULL;
}

int main(void)
{
    EXPECT("3.15: size above 0", HIAI_DMalloc(0, 0, MANUAL_FREE) == NULL);
    EXPECT("3.15: up to 256 MiB", HIAI_DMalloc(WHOLE + 1u, 0, MANUAL_FREE) == NULL);
    char *block = HIAI_DMalloc(MEBI, 100, MANUAL_FREE), *media = HIAI_DVPP_DMalloc(100);
    block[0] = block[MEBI - 1] = media[99] = 1; /* 3.15: usable like ordinary memory */
    EXPECT("3.15: each by its own", HIAI_DVPP_DFree(block) != HIAI_OK && HIAI_DFree(media) != HIAI_OK);
    HIAI_PortID_t port = {1, 2, 3};
    EXPECT_CODE("3.15", HIAI_OK, HIAI_C_SendData(port, "message", MEBI, block));
    EXPECT("3.15: HIAI_C_SendData takes nothing", block[0] == 1);
    EXPECT("start only", HIAI_DFree(block + 1) != HIAI_OK && HIAI_DFree(NULL) != HIAI_OK);
    EXPECT_CODE("3.15", HIAI_OK, HIAI_DFree(block));
    EXPECT("twice", HIAI_DFree(block) != HIAI_OK);
    EXPECT_CODE("3.15", HIAI_OK, HIAI_DVPP_DFree(media));

    void *blocks[4];
    pthread_t thread;
    for (int i = 0; i < 4; i++) {
        blocks[i] = HIAI_DMalloc(WHOLE, 0, AUTO_FREE);
        EXPECT("the pool holds 1 GiB", blocks[i] != NULL);
    }
    EXPECT("3.15: the wait ends", HIAI_DMalloc(1, 1, AUTO_FREE) == NULL);
    EXPECT("set-up", pthread_create(&thread, NULL, releaser, blocks[0]) == 0);
    void *late = HIAI_DMalloc(1, 30000, AUTO_FREE);
    EXPECT("3.15: it waits for memory", late != NULL);
    EXPECT("set-up", pthread_join(thread, NULL) == 0);
    OK(HIAI_DFree(late));
    for (int i = 1; i < 4; i++) {
        OK(HIAI_DFree(blocks[i]));
    }
    return 0;
}
