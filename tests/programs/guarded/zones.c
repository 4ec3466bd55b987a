/* zones FAMILY MODE: writes at and over the edges of blocks. FAMILY 0 device, 1 dvpp, 2 pinned, 3 device media (MPI), 4 device in small
 * pages, 5 device in large ones; MODE is the writer: 0 a kernel, 1 a kernel that copies, 2 the host (pinned memory alone), 3 a blocking copy.
 * Then pairs SIDE LENGTH: "r 33" writes 33 bytes from the end on, "f 33" the 33 bytes before the start, "s 4" 4 bytes from the end on of a
 * block of 1000 (24 bytes of rounding at least), "i 0" first and last bytes alone. */
#include "../rt.h"

enum { ROOM = 1 << 17, WHOLE = 65536 };

static char *fresh(int family, size_t size) {
    void *block = NULL;
    switch (family) {
    case 1:
        return dvpp(size);
    case 2:
        return pinned(size);
    case 3:
        MUST(hi_mpi_dvpp_malloc(0, &block, size));
        return block;
    case 4:
        MUST(aclrtMalloc(&block, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        return block;
    case 5:
        MUST(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_ONLY));
        return block;
    default:
        return device(size);
    }
}

static void give_back(int family, char *block) {
    if (family == 1) {
        MUST(acldvppFree(block));
    } else if (family == 2) {
        MUST(aclrtFreeHost(block));
    } else if (family == 3) {
        MUST(hi_mpi_dvpp_free(block));
    } else {
        MUST(aclrtFree(block));
    }
}

static void scribble(int mode, char *at, size_t length, char *source) {
    static char host[ROOM];
    memset(host, 0x5a, sizeof host);
    if (mode == 0) {
        MUST(aclsimLaunchWrite(at, length, 0x5a, NULL));
    } else if (mode == 1) {
        MUST(aclsimLaunchCopy(at, source, length, NULL));
    } else if (mode == 2) {
        memcpy(at, host, length);
    } else {
        MUST(aclrtMemcpy(at, length, host, length, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    MUST(aclrtSynchronizeDevice());
}

int main(int argc, char **argv) {
    int family = atoi(argv[1]), mode = atoi(argv[2]);
    begin();
    MUST(aclrtFree(device(64))); /* a guard needs a machine that is known */
    char *source = device(ROOM);
    MUST(aclrtMemset(source, ROOM, 0x5a, ROOM));
    for (int i = 3; i + 1 < argc; i += 2) {
        char side = argv[i][0];
        size_t length = strtoul(argv[i + 1], NULL, 10), whole = family == 2 ? WHOLE : WHOLE - 32, /* a block of whole pages, with its padding */
               size = side == 's' ? 1000 : whole;
        char *below = fresh(family, size), *block = fresh(family, size), *above = fresh(family, size);
        scribble(mode, block, side == 'i' ? 1 : size, source);
        if (side == 'i') {
            scribble(mode, block + size - 1, 1, source);
        } else if (side == 'f') {
            scribble(mode, block - length, length, source);
        } else {
            scribble(mode, block + size, length, source);
        }
        give_back(family, block);
        give_back(family, below);
        give_back(family, above);
    }
    MUST(aclrtFree(source));
    end();
    return 0;
}
