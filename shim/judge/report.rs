//! Asks the rules about one call, and prints each finding the first time it occurs.

use crate::record::Recorder;
use crate::state::finding_counts::{Counted, RootName};
use crate::state::process::Process;
use crate::state::settings;
use crate::state::thread;
use aclsan_log::{BlockId, CallSiteId, EndKind};
use aclsan_options::{Color, HaltOnError};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::exit;
use aclsan_os::{clock, seccomp, stderr, thread_name};
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::message;
use aclsan_rules::evidence::recent_writers::NEIGHBOR_DISTANCE;
use aclsan_rules::evidence::rule::{Rule, Severity};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Asks the rules, and prints or counts their findings; `true` if there were any. Skipped when nothing is reported: the log has the
/// facts, and replay asks the rules again. Findings of a thread that ignores them are remembered only for what follows from them.
#[inline(always)]
pub fn ask_rules<F: IntoIterator<Item = Finding>>(
    recorder: &Recorder,
    rules: impl FnOnce(&Profile) -> F,
) -> bool {
    let process = recorder.process;
    if !is_reporting(process) {
        return false;
    }
    let found = rules(&process.heap.devices.profile()).into_iter();
    let is_ignoring = recorder.thread.ignoring > 0;
    found
        .map(|finding| thread::run_on_big_stack(|| report(process, &finding, is_ignoring)))
        .count()
        > 0
        && !is_ignoring
}

/// The runtime refused the copy or fill at `site`: nothing follows from what it would have written.
#[cold]
pub fn refused_at(recorder: &Recorder, site: CallSiteId) {
    recorder.process.judge.finding_counts.refused_at(site);
}

/// The runtime refused to release `block`.
#[cold]
pub fn release_refused(recorder: &Recorder, block: BlockId) {
    recorder.process.judge.finding_counts.release_refused(block);
}

/// Whether findings are judged at the call: printed, ending the program, or a reason to watch what it does next.
#[inline(always)]
pub fn is_reporting(process: &Process) -> bool {
    !stderr::is_quiet() || is_reporting_quietly(process)
}

#[cold]
#[inline(never)]
fn is_reporting_quietly(process: &Process) -> bool {
    settings::current_or(process.options).halt_on_error != HaltOnError::No
        || process.options.traps_host_access()
}

/// Counts a finding, and prints it if it is new. What follows from another finding is one line that names it. With `halt_on_error`, the
/// first error ends the process.
fn report(process: &Process, finding: &Finding, is_ignored: bool) {
    let _uncancelled = CancelGuard::enter();
    let reached = reached(process, finding);
    if is_ignored {
        return process.judge.finding_counts.ignore(finding, &reached);
    }
    match process.judge.finding_counts.count(finding, &reached) {
        Counted::New => print(process, finding),
        // The root was printed before, and ended the program if it was to.
        Counted::Follows(root) => return print_consequence(process, finding, root),
        Counted::Folded => return,
        Counted::Repeated => {}
        Counted::Saturated => stderr::warning(
            "too many distinct findings: further ones are only counted; `aclsan findings` lists them",
        ),
    }
    halt(process, finding);
}

/// The other blocks that an overrun ran into: the next live one, and the one where it ended.
fn reached(process: &Process, finding: &Finding) -> Vec<BlockId> {
    let Some((block, written)) = finding.overrun() else {
        return Vec::new();
    };
    let live = &process.heap.live;
    let (_, next) = live.neighbors(block, NEIGHBOR_DISTANCE);
    let last = written.last().map(|last| live.place(last));
    let last = last.as_ref().and_then(|place| place.block());
    let ids = next.iter().chain(last.map(|(block, _)| block));
    ids.map(|block| block.id).collect()
}

fn print_consequence(process: &Process, finding: &Finding, (rule, site): RootName) {
    // In short, what the same call shows twice is said once.
    if stderr::is_quiet() || !is_long() && finding.here == site {
        return;
    }
    let place = super::stack::top(process, site).unwrap_or_default();
    stderr::print_lines(&message::consequence_line(finding, rule, &place));
}

/// Whether [`halt`] is ending the process. If a debugger lets it go on after a trap, a later crash is not reported.
static IS_HALTING: AtomicBool = AtomicBool::new(false);

/// Whether a signal is ending the process, whose report `halt_on_error` must not cut short.
static IS_DYING: AtomicBool = AtomicBool::new(false);

/// Sets whether a signal is ending the process. Until its own action is taken, nothing else ends it.
pub fn set_dying(is_dying: bool) {
    IS_DYING.store(is_dying, Relaxed);
}

/// Whether the process is ending at an error, so that a signal is no crash.
pub fn is_halting() -> bool {
    IS_HALTING.load(Relaxed)
}

/// Ends the program at an error, with `halt_on_error`; for a debugger, which may continue it, only once.
fn halt(process: &Process, finding: &Finding) {
    static HAS_TRAPPED: AtomicBool = AtomicBool::new(false);
    let how = settings::current().halt_on_error;
    if finding.severity != Severity::Error || how == HaltOnError::No || IS_DYING.load(Relaxed) {
        return;
    }
    if how == HaltOnError::Trap && HAS_TRAPPED.swap(true, Relaxed) {
        return;
    }
    super::summary::summarize(process, super::summary::End::Halt);
    IS_HALTING.store(true, Relaxed);
    if let Some(log) = process.log.sink.file() {
        log.write_end(
            &aclsan_log::End {
                thread: thread_name::current_tid(),
                ticks: clock::ticks(clock::source()),
                ..aclsan_log::End::new(EndKind::Halt, 0)
            },
            &[],
        );
    }
    match how {
        HaltOnError::Abort => exit::abort(),
        HaltOnError::Trap => exit::trap(),
        HaltOnError::Exit | HaltOnError::No => {
            exit::exit_now(settings::current().exitcode.0.into());
        }
    }
}

fn print(process: &Process, finding: &Finding) {
    if stderr::is_quiet() {
        return;
    }
    let mut is_first = true; // the stack of this call
    let is_long = is_long();
    let mut lines = match is_long {
        true => message::lines(finding, 1, |site| {
            super::stack::lines(process, site, std::mem::take(&mut is_first))
        }),
        false => message::brief_lines(finding, |site| {
            super::stack::brief(process, site, std::mem::take(&mut is_first))
        }),
    };
    if let Some(hint) = super::stack::hint(process, finding) {
        lines.push(hint);
    }
    let is_odd = |c: char| c == '`' || c.is_control();
    let thread = thread_name::own().replace(is_odd, "?");
    if !thread.is_empty() {
        let stack = 1 + usize::from(is_long && finding.address.is_some());
        lines.insert(
            stack,
            format!("  in thread {} `{thread}`:", thread_name::current_tid()),
        );
    }
    if is_colored(process.options.color) {
        let first = stderr::localized(&lines[0]);
        lines[0] = format!("\x1b[1;{}m{first}\x1b[0m", color(finding.rule));
    }
    stderr::print_lines(&lines.join("\n"));
}

/// Whether findings are printed with all their evidence.
pub(super) fn is_long() -> bool {
    settings::current().verbose || !settings::current().stack_trim
}

fn color(rule: &Rule) -> u8 {
    match rule.severity {
        Severity::Error => 31,
        Severity::Warning => 33,
        Severity::Note => 36,
    }
}

fn is_colored(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::env::var_os("NO_COLOR").is_none()
                && !seccomp::is_seccomp_active()
                && std::io::stderr().is_terminal()
        }
    }
}
