/* Processes are asked for in /proc: a zombie is dead, and a number that is used again has another start. */
#define _GNU_SOURCE
#include "alive.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_MS = 50 };

struct state {
    char letter;
    long threads;
    uint64_t birth;
};

static bool stateOf(int32_t process, struct state *state)
{
    char path[48], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    /* The name may hold anything, parentheses, too: its end is the last one. */
    const char *rest = strrchr(text, ')');
    unsigned long long birth;
    if (rest == NULL || sscanf(rest + 1,
                               " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                               &state->letter, &state->threads, &birth) != 3) {
        return false;
    }
    state->birth = birth;
    return true;
}

uint64_t birthOf(int32_t process)
{
    struct state state;
    return stateOf(process, &state) ? state.birth : 0;
}

bool isAlive(int32_t process, uint64_t birth)
{
    struct state state;
    if (!stateOf(process, &state) || state.birth != birth) {
        return false;
    }
    /* A main thread that has ended is a zombie, too, while others run on. */
    return (state.letter != 'Z' && state.letter != 'X') || state.threads > 1;
}

unsigned secondsOf(const char *variable, unsigned usual)
{
    const char *text = getenv(variable);
    char *end = NULL;
    unsigned long seconds = text == NULL ? 0 : strtoul(text, &end, 10);
    return seconds > 0 && seconds <= 1000000 && *end == '\0' ? (unsigned)seconds : usual;
}

uint64_t nowMs(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool waitBriefly(_Atomic uint32_t *word, uint32_t seen)
{
    const struct timespec moment = {.tv_nsec = MOMENT_MS * 1000000L};
    /* Not FUTEX_PRIVATE_FLAG: others map the same file elsewhere. */
    return syscall(SYS_futex, word, FUTEX_WAIT, seen, &moment, NULL, 0) == 0 || errno == EAGAIN;
}

void wake(_Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
