/* Key files. Their folder belongs to the user; processes that may not read it share nothing. */
#define _GNU_SOURCE
#include "key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARK 0x3179656b6d697361ull

static bool folder(char *path, size_t room)
{
    const char *parent = getenv("TMPDIR");
    struct stat state;
    snprintf(path, room, "%s/aclsim-%u", parent && *parent ? parent : "/tmp", (unsigned)getuid());
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    return lstat(path, &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == getuid();
}

/* A key comes from another process: it may be anything. */
bool keyPath(const char *name, char *path, size_t room)
{
    size_t length = strnlen(name, KEY_LENGTH);
    bool plain = length > 0 && length < KEY_LENGTH && folder(path, room);
    for (size_t i = 0; i < length && plain; i++) {
        plain = isxdigit((unsigned char)name[i]);
    }
    if (plain) {
        size_t used = strlen(path);
        plain = (size_t)snprintf(path + used, room - used, "/%s", name) < room - used;
    }
    return plain;
}

/* Clock ticks since the machine's start, field 22 of /proc/N/stat; 0 if there is no such process. */
static uint64_t startOf(int32_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) {
        close(file);
    }
    if (length <= 0) {
        return 0;
    }
    text[length] = 0;
    /* The second field is the program's name in brackets, which may hold anything. */
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at + 1, ' ');
    }
    return at ? strtoull(at, NULL, 10) : 0;
}

bool keyCreate(struct key *key, char name[KEY_LENGTH])
{
    char path[4096];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long long number = (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
    key->mark = MARK;
    key->pid = getpid();
    key->born = startOf(key->pid);
    for (int tries = 0; tries < 16; tries++, number++) {
        snprintf(name, KEY_LENGTH, "%08x%016llx%02x00", (unsigned)key->pid, number, (unsigned)key->device);
        if (!keyPath(name, path, sizeof path)) {
            return false;
        }
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            bool written = write(file, key, sizeof *key) == (ssize_t)sizeof *key;
            close(file);
            if (!written) {
                unlink(path);
            }
            return written;
        }
    }
    return false;
}

bool keyRead(const char *name, struct key *key)
{
    char path[4096];
    int file = keyPath(name, path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return false;
    }
    flock(file, LOCK_SH);
    bool whole = read(file, key, sizeof *key) == (ssize_t)sizeof *key && key->mark == MARK;
    close(file);
    if (whole && startOf(key->pid) != key->born) {
        unlink(path); /* the exporter ended without closing it */
        whole = false;
    }
    return whole && key->listed <= KEY_LISTED_MOST;
}

bool keyAllow(const char *name, const int32_t *pids, size_t count)
{
    char path[4096];
    struct key key;
    int file = keyPath(name, path, sizeof path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) {
        return false;
    }
    flock(file, LOCK_EX);
    bool done = pread(file, &key, sizeof key, 0) == (ssize_t)sizeof key && key.pid == getpid() &&
                count <= KEY_LISTED_MOST - key.listed;
    if (done) {
        memcpy(key.pids + key.listed, pids, count * sizeof *pids);
        key.listed += (uint32_t)count;
        done = pwrite(file, &key, sizeof key, 0) == (ssize_t)sizeof key;
    }
    close(file);
    return done;
}

bool keyAdmits(const struct key *key, int32_t pid)
{
    bool admitted = key->is_open;
    for (uint32_t i = 0; i < key->listed && !admitted; i++) {
        admitted = key->pids[i] == pid;
    }
    return admitted;
}

void keyRemove(const char *name)
{
    char path[4096];
    if (keyPath(name, path, sizeof path)) {
        unlink(path);
    }
}

int keyOpen(const struct key *key)
{
    char path[64];
    struct stat state;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", key->pid, key->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &state) != 0 || state.st_dev != key->volume || state.st_ino != key->inode)) {
        close(file); /* the exporter closed it and has another under that number */
        file = -1;
    }
    return file;
}
