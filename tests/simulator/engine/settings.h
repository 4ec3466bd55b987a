/* The environment, read once. */
#ifndef ACLSIM_SETTINGS_H
#define ACLSIM_SETTINGS_H

#include "../engine.h"

struct settings {
    const struct aclsim_soc *soc;
    uint32_t devices;
    uint64_t memory_bytes;   /* of each device */
    uint64_t delay_us;       /* before each queued task */
    uint64_t delay_seed;     /* not 0: which tasks have the delay, a quarter of them */
    uint64_t allocation_us;  /* that each allocation of device memory takes */
    uint64_t trim_us;        /* that giving caches back takes */
    uint64_t misalign;       /* start of every block is this modulo twice this; 0: off */
    uint64_t narrow;         /* address windows have this part of their size */
    bool quiet;              /* no messages about unmodeled functions */
};

#define MOST_DEVICES 16u

const struct settings *settings(void);

bool isQuiet(void);

/* Reports an invalid value on standard error, once per call. */
void settingRefused(const char *variable, const char *value, const char *expected);

/* The profile of that name, or NULL. The first one is the default. */
const struct aclsim_soc *socNamed(const char *name);
const struct aclsim_soc *socDefault(void);
const char *socNames(void);

#endif
