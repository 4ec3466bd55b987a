//! Asks the rules about one call, and prints each finding the first time it occurs.

use crate::record::Recorder;
use crate::state::finding_counts::Counted;
use crate::state::process::Process;
use crate::state::thread;
use aclsan_options::Color;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::exit;
use aclsan_os::{seccomp, stderr, thread_name};
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::message;
use aclsan_rules::evidence::rule::{Rule, Severity};
use std::io::IsTerminal;

/// Judges what a call records.
pub trait Judge {
    /// Asks the rules, and prints or counts their findings; `true` if there were any. Skipped when nothing is reported or the thread
    /// ignores findings: the log has the facts, and replay asks the rules again.
    fn judge<F: IntoIterator<Item = Finding>>(&self, rules: impl FnOnce(&Profile) -> F) -> bool;
}

impl Judge for Recorder<'_> {
    #[inline(always)]
    fn judge<F: IntoIterator<Item = Finding>>(&self, rules: impl FnOnce(&Profile) -> F) -> bool {
        let process = self.process;
        if !is_reporting(process) || self.thread.ignoring > 0 {
            return false;
        }
        let found = rules(&process.heap.devices.profile()).into_iter();
        found
            .map(|finding| thread::run_on_big_stack(|| report(process, &finding)))
            .count()
            > 0
    }
}

/// Whether findings are reported at all: printed, or ending the program.
#[inline(always)]
pub fn is_reporting(process: &Process) -> bool {
    !stderr::is_quiet() || process.options.halt_on_error
}

/// Counts a finding, and prints it if it is new. Does not return from the first error with `halt_on_error`.
fn report(process: &Process, finding: &Finding) {
    let _uncancelled = CancelGuard::enter();
    match process.judge.finding_counts.count(finding) {
        Counted::New => print(process, finding),
        Counted::Repeated => {}
        Counted::Saturated => stderr::warning(
            "too many distinct findings: further ones are only counted; `aclsan findings` lists them",
        ),
    }
    halt(process, finding);
}

/// Ends the program at an error, with `halt_on_error`.
fn halt(process: &Process, finding: &Finding) {
    if finding.severity == Severity::Error && process.options.halt_on_error {
        super::summary::summarize(process);
        exit::exit_now(1);
    }
}

fn print(process: &Process, finding: &Finding) {
    if stderr::is_quiet() {
        return;
    }
    let mut is_first = true; // the stack of this call
    let mut lines = message::lines(finding, 1, |site| {
        super::stack::lines(process, site, std::mem::take(&mut is_first))
    });
    let is_odd = |c: char| c == '`' || c.is_control();
    let thread = thread_name::own().replace(is_odd, "?");
    if !thread.is_empty() {
        let stack = 1 + usize::from(finding.address.is_some());
        lines.insert(
            stack,
            format!("  in thread {} `{thread}`:", thread::current_tid()),
        );
    }
    if is_colored(process.options.color) {
        lines[0] = format!("\x1b[1;{}m{}\x1b[0m", color(finding.rule), lines[0]);
    }
    stderr::print_lines(&lines.join("\n"));
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
