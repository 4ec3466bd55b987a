//! Accesses of the CPU to host memory: its own instructions, and libc's functions that fill or read the caller's buffers.

use crate::api::function::Effect;
use crate::api::function::Role::HostAccess;
use crate::api::function::{Function, now};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("load", HostAccess).does(Effect::Instruction),
    now("store", HostAccess).does(Effect::Instruction),
    now("read", HostAccess),
    now("pread", HostAccess),
    now("readv", HostAccess),
    now("preadv", HostAccess),
    now("recv", HostAccess),
    now("recvfrom", HostAccess),
    now("recvmsg", HostAccess),
    now("fread", HostAccess),
    now("fgets", HostAccess),
    now("write", HostAccess),
    now("pwrite", HostAccess),
    now("writev", HostAccess),
    now("pwritev", HostAccess),
    now("send", HostAccess),
    now("sendto", HostAccess),
    now("sendmsg", HostAccess),
    now("fwrite", HostAccess),
    now("fputs", HostAccess),
];

impl Function {
    /// Whether it is an instruction of the program, and no function at all.
    pub fn is_instruction(&self) -> bool {
        self.effect() == Effect::Instruction
    }
}
