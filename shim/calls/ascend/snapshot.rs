//! Snapshots of a process. Blocks keep their addresses; their memory is taken away and brought back.
//!
//! Before CANN 9.2 the calls have no arguments: what is recorded as the process is then a number without a meaning.

use crate::abi::*;
use crate::calls::actions::recorded;
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn aclrtSnapShotProcessLock(process: i32, reserve: *mut c_void) -> aclError = recorded [process];
    fn aclrtSnapShotProcessUnlock(process: i32, reserve: *mut c_void) -> aclError = recorded [process];
    fn aclrtSnapShotProcessBackup(process: i32, args: *mut aclrtSnapShotBackupArgs) -> aclError = recorded [process];
    fn aclrtSnapShotProcessRestore(process: i32, args: *mut aclrtSnapShotRestoreArgs) -> aclError = recorded [process];
}
