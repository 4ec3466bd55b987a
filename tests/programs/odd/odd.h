/* Calls every function of the odd runtime once; prints the results in a form independent of addresses. */
#ifndef PROGRAMS_ODD_H
#define PROGRAMS_ODD_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "acl/acl.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No run is longer than this, even in a deadlock. */
__attribute__((constructor)) static void limit_time(void) {
    alarm(40);
}

/* What a variable holds where no call has written to it. */
#define UNTOUCHED ((void *)0x5a5a5a50)

/* Guards before blocks move addresses by whole pages. */
__attribute__((unused)) static const char *kind_of(void *out) {
    return out == NULL ? "null" : (uintptr_t)out >> 47 ? "no address of a program's" : (uintptr_t)out & 15 ? "unaligned" : "an address";
}
#endif
