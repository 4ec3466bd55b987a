//! Prints what is new in followed logs, a line each: processes, findings, ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::thread;

use aclsan_render::units;

use super::state::{Life, State};
use super::{LOOK_INTERVAL, Watch};
use crate::io::language::localized;

/// By process: how it was, and which of its findings were printed.
type Printed = BTreeMap<usize, (Option<Life>, BTreeSet<usize>)>;

/// Prints until all programs have ended. `false` if none of their logs could be read.
///
/// # Errors
/// Those of `print`.
pub fn follow(
    mut watch: Watch,
    mut print: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut printed = Printed::new();
    loop {
        // Asked first: what a program wrote before it ended is read after.
        let is_last = !watch.is_running();
        // Each process is in a state before it can be forgotten.
        let is_behind = watch.look(&AtomicBool::new(false));
        let state = watch.state();
        let lines = lines(&state, &mut printed);
        if !lines.is_empty() {
            print(&lines)?;
        }
        if is_last && !watch.is_running() {
            return Ok(!state.processes.is_empty() || state.forgotten.processes > 0);
        }
        if !is_behind {
            thread::sleep(LOOK_INTERVAL);
        }
    }
}

fn lines(state: &State, printed: &mut Printed) -> String {
    let mut text = String::new();
    printed.retain(|&number, _| state.index(number).is_some());
    for process in &state.processes {
        let (life, known) = printed.entry(process.number).or_default();
        let who = format!("{} {}", process.pid, units::printable(&process.program));
        let is_over = !matches!(process.life, Life::Runs | Life::Unknown);
        if life.is_none() {
            let sentence = localized(&format!("log of {who}: `{}`", process.log));
            text += &format!("{}\n", units::printable(&sentence));
        }
        let of_process = (state.findings.iter())
            .filter(|found| found.process == process.number && !found.is_consequence);
        for found in of_process {
            if !known.insert(found.number) {
                continue;
            }
            let line = format!(
                "{who} {} {}: {} [{}] {}",
                units::duration(found.first_ns),
                localized(found.severity),
                localized(&found.message),
                found.rule,
                found.place
            );
            text += &format!("{}\n", units::printable(&line));
        }
        if is_over && *life != Some(process.life) {
            text += &format!("{who} {}\n", process.sentence());
        }
        *life = Some(process.life);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::state::{Finding, Process};

    fn process(life: Life) -> Process {
        Process {
            number: 0,
            pid: 7,
            log: "a.aclsan".to_owned(),
            program: "app".to_owned(),
            life,
            signal: None,
            duration_ns: 0,
            events: 0,
            is_behind: false,
            devices: Vec::new(),
            families: Vec::new(),
            categories: Vec::new(),
            pools: Vec::new(),
            histories: Vec::new(),
            history: Vec::new(),
            rates: (0.0, 0.0),
            calls: (0, 0),
            lost: 0,
            suppressed: 0,
            block_sample: 0,
        }
    }

    fn found(rule: &'static str, is_consequence: bool) -> Finding {
        Finding {
            process: 0,
            number: 0,
            rule,
            severity: "error",
            message: "it is wrong".to_owned(),
            place: "main a.c:1".to_owned(),
            times: 1,
            first_ns: 2_000_000_000,
            is_consequence,
        }
    }

    #[test]
    fn each_thing_is_printed_once() {
        let mut printed = Printed::new();
        let mut state = State {
            processes: vec![process(Life::Runs)],
            ..State::default()
        };
        assert_eq!(lines(&state, &mut printed), "log of 7 app: `a.aclsan`\n");
        assert_eq!(lines(&state, &mut printed), "");
        state.findings = vec![found("double-free", false), found("invalid-free", true)];
        assert_eq!(
            lines(&state, &mut printed),
            "7 app 2.00 s error: it is wrong [double-free] main a.c:1\n"
        );
        state.processes[0].life = Life::Gone;
        assert_eq!(
            lines(&state, &mut printed),
            "7 app was killed, or left by `_exit`\n"
        );
        assert_eq!(lines(&state, &mut printed), "");
    }
}
