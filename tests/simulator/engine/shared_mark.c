/* Counters in a file owned by the user, mapped by every process that may open it. */
#define _GNU_SOURCE
#include "shared_mark.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "key.h"

#define MARK 0x326b72616d697361ull
#define MOST_LISTED 128u

struct page {
    uint64_t mark;
    _Atomic uint64_t claimed, reached;
    _Atomic uint32_t count, open, listed;
    int32_t pids[MOST_LISTED];
};

struct shared_mark {
    struct page *page;
    pid_t owner; /* 0: opened */
    char name[KEY_LENGTH];
};

static struct shared_mark *mapFile(int file, const char *name, pid_t owner)
{
    struct shared_mark *mark = file < 0 ? NULL : calloc(1, sizeof *mark);
    void *page = mark ? mmap(NULL, sizeof *mark->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0) {
        close(file);
    }
    if (page == MAP_FAILED) {
        free(mark);
        return NULL;
    }
    mark->page = page;
    mark->owner = owner;
    snprintf(mark->name, sizeof mark->name, "%s", name);
    return mark;
}

struct shared_mark *markNew(bool open_to_all)
{
    static _Atomic uint32_t serial;
    char name[KEY_LENGTH], path[4096];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, sizeof name, "%08x%016llx%08x", (unsigned)getpid(),
             (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec, (unsigned)serial++);
    int file = keyPath(name, path, sizeof path) ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(struct page)) != 0) {
        close(file);
        unlink(path);
        return NULL;
    }
    struct shared_mark *mark = mapFile(file, name, getpid());
    if (mark) {
        mark->page->open = open_to_all;
        mark->page->mark = MARK;
    }
    return mark;
}

static bool admits(const struct page *page)
{
    bool listed = page->open;
    for (uint32_t i = 0; i < page->listed && i < MOST_LISTED; i++) {
        listed = listed || page->pids[i] == getpid();
    }
    return listed;
}

struct shared_mark *markOpen(const char *name)
{
    char path[4096];
    struct stat state;
    int file = keyPath(name, path, sizeof path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0 && (fstat(file, &state) != 0 || state.st_size != (off_t)sizeof(struct page))) {
        close(file);
        return NULL;
    }
    struct shared_mark *mark = mapFile(file, name, 0);
    if (mark && (mark->page->mark != MARK || !admits(mark->page))) {
        markEnd(mark);
        return NULL;
    }
    return mark;
}

void markEnd(struct shared_mark *mark)
{
    char path[4096];
    if (!mark) {
        return;
    }
    if (mark->owner == getpid() && keyPath(mark->name, path, sizeof path)) {
        unlink(path);
    }
    munmap(mark->page, sizeof *mark->page);
    free(mark);
}

bool markName(const struct shared_mark *mark, char *name, size_t room)
{
    return (size_t)snprintf(name, room, "%s", mark->name) < room;
}

bool markAllow(struct shared_mark *mark, const int32_t *pids, size_t count)
{
    struct page *page = mark->page;
    if (count > MOST_LISTED - page->listed) {
        return false;
    }
    memcpy(page->pids + page->listed, pids, count * sizeof *pids);
    page->listed += (uint32_t)count;
    return true;
}

void markAllowAll(struct shared_mark *mark)
{
    mark->page->open = 1;
}

uint64_t markClaim(struct shared_mark *mark)
{
    return ++mark->page->claimed;
}

uint64_t markLatest(const struct shared_mark *mark)
{
    return mark->page->claimed;
}

void markReach(struct shared_mark *mark, uint64_t generation)
{
    uint64_t before = mark->page->reached;
    while (before < generation && !__atomic_compare_exchange_n((uint64_t *)&mark->page->reached, &before, generation,
                                                               false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

bool markIsReached(const struct shared_mark *mark, uint64_t generation)
{
    return mark->page->reached >= generation;
}

_Atomic uint32_t *markCount(struct shared_mark *mark)
{
    return &mark->page->count;
}
