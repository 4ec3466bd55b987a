/* random SEED BLOCKS BAD: a random program. It allocates, writes up to the very edges of its blocks by every writer, and releases. With
 * BAD 1 it makes one mistake, a byte behind a random block, and prints which: "SIZE BEHIND"; with BAD 2 a byte before it: "SIZE BEFORE". */
#include "../rt.h"

#define LIVE 200

struct block {
    char *start;
    size_t size;
    int family; /* 0 device, 1 dvpp, 2 pinned, 3 managed, 4 media */
};

static uint64_t state;

static size_t draw(size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

static size_t size(void) {
    static const size_t edges[] = {1, 31, 32, 33, 63, 64, 96, 480, 511, 512, 513, 4064, 4096, 65536};
    return draw(2) ? edges[draw(sizeof edges / sizeof *edges)] : 1 + draw(20000);
}

static struct block fresh(int family) {
    struct block made = {NULL, size(), family};
    void *start = NULL;
    switch (family) {
    case 0:
        MUST(aclrtMalloc(&start, made.size, ACL_MEM_MALLOC_HUGE_FIRST));
        break;
    case 1:
        MUST(acldvppMalloc(&start, made.size));
        break;
    case 2:
        MUST(aclrtMallocHost(&start, made.size));
        break;
    case 3:
        MUST(aclrtMemAllocManaged(&start, made.size, ACL_RT_MEM_ATTACH_GLOBAL));
        break;
    default:
        MUST(hi_mpi_dvpp_malloc(0, &start, made.size));
        break;
    }
    made.start = start;
    return made;
}

static void give_back(struct block *block) {
    switch (block->family) {
    case 1:
        MUST(acldvppFree(block->start));
        break;
    case 2:
        MUST(aclrtFreeHost(block->start));
        break;
    case 4:
        MUST(hi_mpi_dvpp_free(block->start));
        break;
    default:
        MUST(aclrtFree(block->start));
        break;
    }
    block->start = NULL;
}

/* Writes the whole block, its first bytes or its last ones. */
static void write_inside(struct block *block, aclrtStream stream) {
    static _Alignas(64) char host[1 << 17];
    size_t part = 1 + draw(block->size), at = draw(2) ? 0 : block->size - part;
    int how = (int)draw(5);
    if (how == 3) {
        at = 0; /* queued copies want 64 bytes of alignment */
    }
    memset(host, (int)draw(256), part);
    if (block->family >= 2 && block->family <= 3) {
        memcpy(block->start + at, host, part);
        return;
    }
    switch (how) {
    case 0:
        MUST(aclsimLaunchWrite(block->start + at, part, (int)draw(256), stream));
        break;
    case 1:
        MUST(aclrtMemset(block->start + at, block->size - at, (int)draw(256), part));
        break;
    case 2:
        MUST(aclrtMemsetAsync(block->start + at, block->size - at, (int)draw(256), part, stream));
        break;
    case 3:
        MUST(aclrtMemcpyAsync(block->start + at, block->size - at, host, part, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        break;
    default:
        MUST(aclrtMemcpy(block->start + at, block->size - at, host, part, ACL_MEMCPY_HOST_TO_DEVICE));
        break;
    }
    MUST(aclrtSynchronizeStream(stream));
}

static int is_guarded(const struct block *block) {
    return block->start && block->family != 3;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
    state = strtoull(argv[1], NULL, 10);
    size_t blocks = strtoull(argv[2], NULL, 10), bad_at = atoi(argv[3]) ? LIVE + draw(blocks) : SIZE_MAX;
    static struct block live[LIVE];
    aclrtStream stream;
    begin();
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtFree(device(64))); /* a guard needs a machine that is known */
    for (size_t i = 0; i < blocks + LIVE; i++) {
        struct block *block = &live[draw(LIVE)];
        if (block->start) {
            give_back(block);
        }
        *block = fresh((int)draw(5));
        write_inside(block, stream);
        struct block *other = &live[draw(LIVE)];
        if (other->start) {
            write_inside(other, stream);
        }
        if (i >= bad_at && is_guarded(block)) {
            int is_before = atoi(argv[3]) == 2;
            size_t away = is_before ? 1 + draw(4096) : draw(64);
            char *at = is_before ? block->start - away : block->start + block->size + away;
            printf("%zu %zu\n", block->size, away);
            if (block->family == 2) {
                *at = 0;
            } else {
                MUST(aclsimLaunchWrite(at, 1, 0, stream));
                MUST(aclrtSynchronizeStream(stream));
            }
            bad_at = SIZE_MAX;
        }
    }
    for (size_t i = 0; i < LIVE; i++) {
        if (live[i].start && draw(2)) {
            give_back(&live[i]);
        } else if (live[i].start && live[i].family == 2) {
            give_back(&live[i]); /* others go with the reset */
        }
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
