//! Registers of a stopped thread, by architecture.

use nix::libc::{self, user_regs_struct};

/// The registers that a stack walk follows, and the DWARF numbers of those that functions save for their callers.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The instruction.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// Registers by DWARF number.
    pub saved: [Option<u64>; 32],
}

/// A system call that a thread is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemCall(pub i64);

/// System calls that malloc, the loader, forks and ends of threads make. They take no long time.
const BUSY: [i64; 12] = [
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_openat,
    libc::SYS_pread64,
    libc::SYS_clone,
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

impl SystemCall {
    /// Whether neither malloc nor the loader makes it.
    pub fn is_calm(self) -> bool {
        !BUSY.contains(&self.0)
    }
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::{Frame, SystemCall, user_regs_struct};

    /// DWARF numbers of the stack pointer and of the return address.
    pub const SP: u16 = 7;
    pub const RETURN: u16 = 16;
    /// What the ABI lets a function use below its stack pointer.
    const RED_ZONE: u64 = 128;

    pub fn frame(regs: &user_regs_struct) -> Frame {
        let mut saved = [None; 32];
        let known = [
            (3, regs.rbx),
            (6, regs.rbp),
            (7, regs.rsp),
            (12, regs.r12),
            (13, regs.r13),
            (14, regs.r14),
            (15, regs.r15),
        ];
        for (number, value) in known {
            saved[number] = Some(value);
        }
        Frame {
            pc: regs.rip,
            sp: regs.rsp,
            saved,
        }
    }

    /// The call that the kernel interrupted, if `before`, the two bytes before the instruction, are a `syscall`.
    pub fn system_call(regs: &user_regs_struct, before: &[u8]) -> Option<SystemCall> {
        let number = regs.orig_rax as i64;
        (number >= 0 && before.ends_with(&[0x0f, 0x05])).then_some(SystemCall(number))
    }

    /// An aligned address on the thread's stack with `bytes` of room above it that nobody uses.
    pub fn room(regs: &user_regs_struct, bytes: u64) -> u64 {
        (regs.rsp - RED_ZONE - bytes) & !0x3f
    }

    /// Registers to call a function with, on a stack that ends at `top`; the address to return to is to be written at `.1`.
    pub fn for_call(
        regs: &user_regs_struct,
        function: u64,
        arguments: [u64; 3],
        top: u64,
    ) -> (user_regs_struct, Option<u64>) {
        let mut call = *regs;
        call.rip = function;
        [call.rdi, call.rsi, call.rdx] = arguments;
        call.rax = 0;
        call.rsp = top - 8;
        // Keeps the kernel from restarting the call that the thread was in.
        call.orig_rax = u64::MAX;
        (call, Some(top - 8))
    }

    /// The result of the function, if it has returned to `to`.
    pub fn result(regs: &user_regs_struct, to: u64) -> Option<u64> {
        (regs.rip == to).then_some(regs.rax)
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use super::{Frame, SystemCall, user_regs_struct};

    /// DWARF numbers of the stack pointer and of the return address.
    pub const SP: u16 = 31;
    pub const RETURN: u16 = 30;

    pub fn frame(regs: &user_regs_struct) -> Frame {
        let mut saved = [None; 32];
        for (number, value) in regs.regs.iter().enumerate() {
            if number >= 19 {
                saved[number] = Some(*value);
            }
        }
        saved[usize::from(SP)] = Some(regs.sp);
        Frame {
            pc: regs.pc,
            sp: regs.sp,
            saved,
        }
    }

    /// The call that the kernel interrupted: the instruction, where it is to be restarted, or the one before is `svc #0`.
    pub fn system_call(regs: &user_regs_struct, around: &[u8]) -> Option<SystemCall> {
        let svc = [0x01, 0x00, 0x00, 0xd4];
        let is_in = around.chunks_exact(4).any(|instruction| instruction == svc);
        is_in.then_some(SystemCall(regs.regs[8] as i64))
    }

    /// An aligned address on the thread's stack with `bytes` of room above it that nobody uses.
    pub fn room(regs: &user_regs_struct, bytes: u64) -> u64 {
        (regs.sp - bytes) & !0x3f
    }

    /// Registers to call a function with, on a stack that ends at `top`.
    pub fn for_call(
        regs: &user_regs_struct,
        function: u64,
        arguments: [u64; 3],
        top: u64,
    ) -> (user_regs_struct, Option<u64>) {
        let mut call = *regs;
        call.pc = function;
        call.regs[..3].copy_from_slice(&arguments);
        call.regs[30] = super::RETURN_TO;
        call.sp = top;
        (call, None)
    }

    /// The result of the function, if it has returned to `to`.
    pub fn result(regs: &user_regs_struct, to: u64) -> Option<u64> {
        (regs.pc == to).then_some(regs.regs[0])
    }
}

pub use machine::{RETURN, SP, for_call, frame, result, room, system_call};

/// Where a called function returns to: no memory is there, and the fault stops the thread.
pub const RETURN_TO: u64 = 0;
