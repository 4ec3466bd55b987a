/* Keys of shared blocks: one small file for each, in a folder of the user's own, which tells
 * an importer which memory file contains the block. */
#ifndef ACLSIM_KEY_H
#define ACLSIM_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_LENGTH 65   /* with the closing zero; the driver takes no shorter buffer */
#define KEY_LISTED_MOST 1024

struct key {
    uint64_t mark;
    int32_t pid;            /* the exporter */
    int32_t device;
    uint64_t born;          /* when the exporter started: numbers of processes come again */
    int32_t file;           /* its descriptor of the memory file */
    uint32_t is_open;       /* to anybody, without a list */
    uint64_t volume, inode; /* which file that has to be */
    uint64_t offset, size, page;
    uint32_t listed;
    int32_t pids[KEY_LISTED_MOST];
};

/* The path of the key of this name; false if the name is invalid. */
bool keyPath(const char *name, char *path, size_t room);
/* Completes `key` and gives it a name. */
bool keyCreate(struct key *key, char name[KEY_LENGTH]);
/* False when there is no such key, or its exporter is gone. */
bool keyRead(const char *name, struct key *key);
/* Adds processes to the list of a key of ours. */
bool keyAllow(const char *name, const int32_t *pids, size_t count);
bool keyAdmits(const struct key *key, int32_t pid);
void keyRemove(const char *name);
/* The exporter's memory file; -1 if it cannot be had. */
int keyOpen(const struct key *key);

#endif
