/* Environment variables. An invalid value is reported and the default kept. */
#define _GNU_SOURCE
#include "settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct settings current;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const known[] = {
    "ACLSIM_SOC", "ACLSIM_DEVICES", "ACLSIM_MEMORY_MB", "ACLSIM_FAIL", "ACLSIM_STREAM_DELAY_US",
    "ACLSIM_STREAM_DELAY_SEED", "ACLSIM_ALLOCATION_US", "ACLSIM_TRIM_US", "ACLSIM_MISALIGN", "ACLSIM_NARROW",
    "ACLSIM_OM_OUTPUT", "ACLSIM_OM_MODEL", "ACLSIM_OPERATORS", "ACLSIM_QUIET",
};

void settingRefused(const char *variable, const char *value, const char *expected)
{
    fprintf(stderr, "aclsim: %s: `%s` is not %s; keeping the default\n", variable, value, expected);
}

/* A variable that nobody reads is most often a spelling mistake. */
static void nameUnknown(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        bool found = strncmp(*entry, "ACLSIM_", 7) != 0;
        for (size_t i = 0; !found && i < sizeof known / sizeof *known; i++) {
            found = strlen(known[i]) == length && strncmp(*entry, known[i], length) == 0;
        }
        if (!found) {
            fprintf(stderr, "aclsim: %.*s is not a variable of the simulator; ignored\n", (int)length, *entry);
        }
    }
}

static uint64_t number(const char *variable, uint64_t least, uint64_t most, uint64_t kept)
{
    const char *text = getenv(variable);
    if (!text || !*text) {
        return kept;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || *text == '-' || value < least || value > most) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)least,
                 (unsigned long long)most);
        settingRefused(variable, text, expected);
        return kept;
    }
    return value;
}

static void readAll(void)
{
    const char *name = getenv("ACLSIM_SOC");
    current.soc = name && *name ? socNamed(name) : socDefault();
    if (!current.soc) {
        settingRefused("ACLSIM_SOC", name, socNames());
        current.soc = socDefault();
    }
    nameUnknown();
    current.devices = (uint32_t)number("ACLSIM_DEVICES", 1, MOST_DEVICES, current.soc->devices);
    /* The upper end is what the address window of a device has room for. */
    current.memory_bytes = number("ACLSIM_MEMORY_MB", 1, 128 * 1024, current.soc->memory_bytes >> 20) << 20;
    current.delay_us = number("ACLSIM_STREAM_DELAY_US", 0, 10 * 1000 * 1000, 0);
    current.delay_seed = number("ACLSIM_STREAM_DELAY_SEED", 0, 1000000, 0);
    current.narrow = number("ACLSIM_NARROW", 1, 64, 1);
    if (current.narrow & (current.narrow - 1)) {
        settingRefused("ACLSIM_NARROW", getenv("ACLSIM_NARROW"), "a power of two");
        current.narrow = 1;
    }
    current.quiet = number("ACLSIM_QUIET", 0, 1, 0) != 0;
    current.allocation_us = number("ACLSIM_ALLOCATION_US", 0, 10 * 1000 * 1000, 0);
    current.trim_us = number("ACLSIM_TRIM_US", 0, 10 * 1000 * 1000, 0);
    current.misalign = number("ACLSIM_MISALIGN", 0, 2048, 0);
    if (current.misalign & (current.misalign - 1)) {
        settingRefused("ACLSIM_MISALIGN", getenv("ACLSIM_MISALIGN"), "a power of two");
        current.misalign = 0;
    }
}

const struct settings *settings(void)
{
    pthread_once(&once, readAll);
    return &current;
}

uint32_t aclsimDeviceCount(void)
{
    return settings()->devices;
}

bool isQuiet(void)
{
    return settings()->quiet;
}
