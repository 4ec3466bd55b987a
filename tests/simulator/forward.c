/* The split topology's forwarders: aclrtX is one jump to aclrtXImpl, through the PLT,
 * so whoever preloads an aclrtXImpl catches every caller. A jump, because it hands on
 * any arguments, variadic ones too, and leaves the stack to the real caller. */
#include "exports.h"

#if defined(__x86_64__)
#define LANDING "endbr64\n"
#define JUMP "jmp"
#define THROUGH_PLT "@PLT"
#elif defined(__aarch64__)
#define LANDING "hint #34\n" /* bti c */
#define JUMP "b"
#define THROUGH_PLT ""
#else
#error "forward.c knows x86-64 and aarch64; add the tail jump of this architecture"
#endif

#define FORWARD(name) \
    __asm__(".text\n" \
            ".p2align 4\n" \
            ".globl " #name "\n" \
            ".type " #name ", %function\n" \
            #name ":\n" \
            ".cfi_startproc\n" LANDING JUMP " " #name "Impl" THROUGH_PLT "\n" \
            ".cfi_endproc\n" \
            ".size " #name ", . - " #name "\n");

ACL_EXPORTS(FORWARD)
