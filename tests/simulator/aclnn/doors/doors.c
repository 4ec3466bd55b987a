/* Both phases of every operator whose name torch_npu looks up: a few instructions each, as nine hundred C functions take a minute to compile. */
#include "call.h"
#include "more_names.h"

#define NAME(name) "aclnn" #name,
static const char *const names[] = {EVERY_OPERATOR(NAME)};

const char *operatorName(int operator)
{
    return names[operator];
}

/* Called by the assembly below, with the caller's registers and the words that it had pushed. */
__attribute__((used)) aclnnStatus aclsimDoorOne(int door, const uint64_t *words, const double *reals, const uint64_t *pushed);
__attribute__((used)) aclnnStatus aclsimDoorTwo(int door, void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);

/* Doors are numbered by the preprocessor, from here on. */
enum { FIRST = __COUNTER__ + 1 };

aclnnStatus aclsimDoorOne(int door, const uint64_t *words, const double *reals, const uint64_t *pushed)
{
    struct door_call call;
    for (int i = 0; i < WORDS; i++) {
        call.words[i] = i < WORD_REGISTERS ? words[i] : pushed[i - WORD_REGISTERS];
    }
    for (int i = 0; i < REALS; i++) {
        call.reals[i] = reals[i];
    }
    return phaseOne(door - FIRST, &call);
}

aclnnStatus aclsimDoorTwo(int door, void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)
{
    return phaseTwo(door - FIRST, workspace, size, executor, stream);
}

#define SYMBOL(name) ".globl " name "\n.type " name ", %function\n" name ":\n"
/* Phase two has a frame of its own, which stacks show under the operator's name. */
#define FRAMED(name, code) SYMBOL(name) ".cfi_startproc\n" code ".cfi_endproc\n.size " name ", . - " name "\n"

#if defined(__aarch64__)
#define GO(number, to) "mov w16, #" #number "\nb " to "\n"
#define CALL(number, to) \
    "stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\nmov x29, sp\nmov w16, #" #number "\nbl " to \
    "\nldp x29, x30, [sp], #16\n.cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\nret\n"
__asm__(".text\n.p2align 4\n"
        ".type aclsim_door_one, %function\n"
        "aclsim_door_one:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register x29\n"
        "sub sp, sp, #128\n"
        "stp x0, x1, [sp]\nstp x2, x3, [sp, #16]\nstp x4, x5, [sp, #32]\nstp x6, x7, [sp, #48]\n"
        "stp d0, d1, [sp, #64]\nstp d2, d3, [sp, #80]\nstp d4, d5, [sp, #96]\nstp d6, d7, [sp, #112]\n"
        "mov w0, w16\nmov x1, sp\nadd x2, sp, #64\nadd x3, x29, #16\n"
        "bl aclsimDoorOne\n"
        "mov sp, x29\n"
        ".cfi_def_cfa_register sp\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size aclsim_door_one, . - aclsim_door_one\n"
        ".type aclsim_door_two, %function\n"
        "aclsim_door_two:\n"
        ".cfi_startproc\n"
        "mov x4, x3\nmov x3, x2\nmov x2, x1\nmov x1, x0\nmov w0, w16\n"
        "b aclsimDoorTwo\n"
        ".cfi_endproc\n"
        ".size aclsim_door_two, . - aclsim_door_two\n");
#else
#define GO(number, to) "movl $" #number ", %eax\njmp " to "\n"
#define CALL(number, to) "subq $8, %rsp\n.cfi_def_cfa_offset 16\nmovl $" #number ", %eax\ncall " to "\naddq $8, %rsp\n.cfi_def_cfa_offset 8\nret\n"
__asm__(".text\n.p2align 4\n"
        ".type aclsim_door_one, %function\n"
        "aclsim_door_one:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "subq $112, %rsp\n"
        "movq %rdi, (%rsp)\nmovq %rsi, 8(%rsp)\nmovq %rdx, 16(%rsp)\nmovq %rcx, 24(%rsp)\nmovq %r8, 32(%rsp)\nmovq %r9, 40(%rsp)\n"
        "movsd %xmm0, 48(%rsp)\nmovsd %xmm1, 56(%rsp)\nmovsd %xmm2, 64(%rsp)\nmovsd %xmm3, 72(%rsp)\n"
        "movsd %xmm4, 80(%rsp)\nmovsd %xmm5, 88(%rsp)\nmovsd %xmm6, 96(%rsp)\nmovsd %xmm7, 104(%rsp)\n"
        "movl %eax, %edi\nmovq %rsp, %rsi\nleaq 48(%rsp), %rdx\nleaq 16(%rbp), %rcx\n"
        "call aclsimDoorOne\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size aclsim_door_one, . - aclsim_door_one\n"
        ".type aclsim_door_two, %function\n"
        "aclsim_door_two:\n"
        ".cfi_startproc\n"
        "movq %rcx, %r8\nmovq %rdx, %rcx\nmovq %rsi, %rdx\nmovq %rdi, %rsi\nmovl %eax, %edi\n"
        "jmp aclsimDoorTwo\n"
        ".cfi_endproc\n"
        ".size aclsim_door_two, . - aclsim_door_two\n");
#endif

#define DOOR_NUMBERED(name, number) \
    SYMBOL("aclnn" #name "GetWorkspaceSize") GO(number, "aclsim_door_one") FRAMED("aclnn" #name, CALL(number, "aclsim_door_two"))
#define DOOR_COUNTED(name, number) DOOR_NUMBERED(name, number)
#define DOOR(name) __asm__(".text\n" DOOR_COUNTED(name, __COUNTER__));
EVERY_OPERATOR(DOOR)
