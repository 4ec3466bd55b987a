//! Snapshots of a process. Blocks keep their addresses; their memory is taken away and brought back.
//!
//! Before CANN 9.2 the calls have no arguments: what is recorded as the process is then a number without a meaning.

use super::stream::ordered;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use std::ffi::c_void;

interpose! {
    fn aclrtSnapShotProcessLock(process: i32, reserve: *mut c_void) -> aclError = on_lock;
    fn aclrtSnapShotProcessUnlock(process: i32, reserve: *mut c_void) -> aclError = on_lock;
    fn aclrtSnapShotProcessBackup(process: i32, args: *mut aclrtSnapShotBackupArgs) -> aclError = on_backup;
    fn aclrtSnapShotProcessRestore(process: i32, args: *mut aclrtSnapShotRestoreArgs) -> aclError = on_restore;
}

ordered! {
    on_lock: aclrtSnapShotProcessLock(process: i32, reserve: *mut c_void), [process as u32 as u64];
    on_backup: aclrtSnapShotProcessBackup(process: i32, args: *mut aclrtSnapShotBackupArgs), [process as u32 as u64];
    on_restore: aclrtSnapShotProcessRestore(process: i32, args: *mut aclrtSnapShotRestoreArgs), [process as u32 as u64];
}
