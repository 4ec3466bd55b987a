/* Whether processes are there, and waiting that notices when they are not. */
#ifndef SIMULATOR_HCCL_ALIVE_H
#define SIMULATOR_HCCL_ALIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When a process started, in the kernel's clock ticks; 0 when there is none. A number that is used again has another one. */
uint64_t birthOf(int32_t process);
bool isAlive(int32_t process, uint64_t birth);

/* Seconds that a variable of HCCL gives, or `usual`. */
unsigned secondsOf(const char *variable, unsigned usual);
uint64_t nowMs(void);

/* Returns when the word is no longer `seen`, or after a moment, and then false. */
bool waitBriefly(_Atomic uint32_t *word, uint32_t seen);
void wake(_Atomic uint32_t *word);

#endif
