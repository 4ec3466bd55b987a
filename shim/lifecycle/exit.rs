//! The end: the loader's last step, after every exit handler. What the program releases even later is recorded all the same.

use super::leak_scan;
use crate::judge;
use crate::process::Process;
use crate::record;
use crate::thread::Inside;
use crate::uncancelled::Uncancelled;
use aclsan_log::Event;

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// Prints the summary, if the process ever called AscendCL.
extern "C" fn end() {
    let Some(process) = Process::if_begun() else {
        return;
    };
    let Some(inside) = Inside::enter() else {
        return;
    };
    let _uncancelled = Uncancelled::enter();
    leak_scan::at_exit(&inside, process);
    record::note(&inside, process, &Event::Exit);
    judge::summarize(process);
}
