// Linked into every test program: prints where it was called from, as the shim's log would record it.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int print_if_holding(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    uintptr_t pc = *(uintptr_t *)data, start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (low < start) start = low;
        if (low + info->dlpi_phdr[i].p_memsz > end) end = low + info->dlpi_phdr[i].p_memsz;
    }
    if (pc < start || pc >= end) return 0;
    char self[4096] = "";
    const char *path = info->dlpi_name;
    if (path[0] == 0 && readlink("/proc/self/exe", self, sizeof self - 1) > 0) path = self;
    printf("%lx %lx %lx %lx %s\n", (long)pc, (long)start, (long)end, (long)info->dlpi_addr, path);
    return 1;
}

void record(void *pc) { dl_iterate_phdr(print_if_holding, &pc); }

__attribute__((noinline)) void note(void) { record(__builtin_return_address(0)); }

__attribute__((noinline, noreturn)) void note_and_exit(void) {
    record(__builtin_return_address(0));
    fflush(stdout);
    _exit(0);
}
