/* The shared state of one event or notify: counters in a small file that all processes map. */
#ifndef ACLSIM_SHARED_MARK_H
#define ACLSIM_SHARED_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_mark;

/* `open`: to any process of the user; else to those on its list. NULL if there is no file. */
struct shared_mark *markNew(bool open);
/* NULL unless there is such a mark, and it admits the calling process. */
struct shared_mark *markOpen(const char *name);
/* Removes the file if this process made it. NULL is ignored. */
void markEnd(struct shared_mark *mark);
/* False if the name doesn't fit. */
bool markName(const struct shared_mark *mark, char *name, size_t room);
bool markAllow(struct shared_mark *mark, const int32_t *pids, size_t count);
void markAllowAll(struct shared_mark *mark);

/* Of an event: the number of a new record, and the latest that a stream has come to. */
uint64_t markClaim(struct shared_mark *mark);
uint64_t markLatest(const struct shared_mark *mark);
void markReach(struct shared_mark *mark, uint64_t generation);
bool markIsReached(const struct shared_mark *mark, uint64_t generation);

/* Of a notify: its count. */
_Atomic uint32_t *markCount(struct shared_mark *mark);

#endif
