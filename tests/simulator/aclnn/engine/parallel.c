/* All cores for one operator. */
#include <pthread.h>
#include <unistd.h>

#include "operator.h"

enum { MOST_THREADS = 8 };

struct share {
    void (*part)(void *argument, int64_t from, int64_t to);
    void *argument;
    int64_t from, to;
};

static void *run(void *argument)
{
    const struct share *share = argument;
    share->part(share->argument, share->from, share->to);
    return NULL;
}

/* As many threads as there are cores, and no more than items. */
static int64_t threadsFor(int64_t count)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
    return threads > count ? count : threads;
}

void inParallel(int64_t count, double weight, void (*part)(void *argument, int64_t from, int64_t to), void *argument)
{
    /* Below this, starting a thread takes longer than the work. The C library opens a file to count the cores, so small work does not ask. */
    int64_t threads = (double)count * weight < 2e6 ? 1 : threadsFor(count);
    if (threads < 2) {
        part(argument, 0, count);
        return;
    }
    struct share shares[MOST_THREADS];
    pthread_t others[MOST_THREADS];
    bool is_started[MOST_THREADS] = {false};
    for (int64_t i = 0; i < threads; i++) {
        shares[i] = (struct share){part, argument, count * i / threads, count * (i + 1) / threads};
        is_started[i] = i > 0 && pthread_create(&others[i], NULL, run, &shares[i]) == 0;
    }
    for (int64_t i = 0; i < threads; i++) {
        if (!is_started[i]) {
            run(&shares[i]);
        }
    }
    for (int64_t i = 0; i < threads; i++) {
        if (is_started[i]) {
            pthread_join(others[i], NULL);
        }
    }
}
