/* libacl_rt_impl.so after CANN 9.1: the Impl functions have moved into libruntime.so, and this library, for programs
 * that were linked with it before, opens that one from its own folder and looks each name up when it is first called. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exports.h"

static void *runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void openRuntime(void)
{
    Dl_info here;
    char path[PATH_MAX] = "";
    const char *slash = dladdr((void *)openRuntime, &here) ? strrchr(here.dli_fname, '/') : NULL;
    if (slash) {
        snprintf(path, sizeof path, "%.*s/libruntime.so", (int)(slash - here.dli_fname), here.dli_fname);
        runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
}

/* Called with the arguments of the real function still in their registers, which the stub has put aside. */
__attribute__((visibility("hidden"), used)) void *stubTarget(const char *name)
{
    pthread_once(&once, openRuntime);
    void *target = runtime ? dlsym(runtime, name) : NULL;
    if (!target) {
        fprintf(stderr, "aclsim: `%s` is not in libruntime.so\n", name);
        _exit(255);
    }
    return target;
}

/* Integers and pointers only: no function here takes floating point arguments in more than the first register. */
#if defined(__x86_64__)
#define PUSH(register) "push %" #register "\n.cfi_adjust_cfa_offset 8\n"
#define POP(register) "pop %" #register "\n.cfi_adjust_cfa_offset -8\n"
#define STUB(name) \
    __asm__(".text\n.p2align 4\n.globl " #name "Impl\n.type " #name "Impl, %function\n" #name "Impl:\n" \
            ".cfi_startproc\nendbr64\n" \
            "mov .Lto_" #name "(%rip), %r11\ntest %r11, %r11\njne 1f\n" \
            PUSH(rax) PUSH(rdi) PUSH(rsi) PUSH(rdx) PUSH(rcx) PUSH(r8) PUSH(r9) \
            "sub $16, %rsp\n.cfi_adjust_cfa_offset 16\nmovsd %xmm0, (%rsp)\n" \
            "lea .Lname_" #name "(%rip), %rdi\ncall stubTarget\n" \
            "mov %rax, .Lto_" #name "(%rip)\nmov %rax, %r11\n" \
            "movsd (%rsp), %xmm0\nadd $16, %rsp\n.cfi_adjust_cfa_offset -16\n" \
            POP(r9) POP(r8) POP(rcx) POP(rdx) POP(rsi) POP(rdi) POP(rax) \
            "1: jmp *%r11\n.cfi_endproc\n.size " #name "Impl, . - " #name "Impl\n" \
            ".section .rodata\n.Lname_" #name ": .asciz \"" #name "Impl\"\n" \
            ".data\n.p2align 3\n.Lto_" #name ": .quad 0\n.text\n");
#elif defined(__aarch64__)
#define STUB(name) \
    __asm__(".text\n.p2align 4\n.globl " #name "Impl\n.type " #name "Impl, %function\n" #name "Impl:\n" \
            ".cfi_startproc\nhint #34\n" \
            "adrp x16, .Lto_" #name "\nldr x16, [x16, :lo12:.Lto_" #name "]\ncbnz x16, 1f\n" \
            "stp x29, x30, [sp, -96]!\n.cfi_def_cfa_offset 96\n.cfi_offset 29, -96\n.cfi_offset 30, -88\n" \
            "stp x0, x1, [sp, 16]\nstp x2, x3, [sp, 32]\nstp x4, x5, [sp, 48]\nstp x6, x7, [sp, 64]\nstr d0, [sp, 80]\n" \
            "adrp x0, .Lname_" #name "\nadd x0, x0, :lo12:.Lname_" #name "\nbl stubTarget\nmov x16, x0\n" \
            "adrp x17, .Lto_" #name "\nstr x16, [x17, :lo12:.Lto_" #name "]\n" \
            "ldr d0, [sp, 80]\nldp x6, x7, [sp, 64]\nldp x4, x5, [sp, 48]\nldp x2, x3, [sp, 32]\nldp x0, x1, [sp, 16]\n" \
            "ldp x29, x30, [sp], 96\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n" \
            "1: br x16\n.cfi_endproc\n.size " #name "Impl, . - " #name "Impl\n" \
            ".section .rodata\n.Lname_" #name ": .asciz \"" #name "Impl\"\n" \
            ".data\n.p2align 3\n.Lto_" #name ": .quad 0\n.text\n");
#else
#error "stub.c knows x86-64 and aarch64; add the stub of this architecture"
#endif

ACL_EXPORTS(STUB)
