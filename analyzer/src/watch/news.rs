//! Prints what is new in followed logs, a line each: processes, findings, ends.

use std::collections::BTreeMap;
use std::thread;

use aclsan_render::units;

use super::state::{Life, State};
use super::{LOOK_INTERVAL, Watch};
use crate::io::language::localized;

/// By process: how it was, and how many of its findings were printed.
type Printed = BTreeMap<usize, (Option<Life>, usize)>;

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
        watch.catch_up();
        let state = watch.state();
        let lines = lines(&state, &mut printed);
        if !lines.is_empty() {
            print(&lines)?;
        }
        if is_last && !watch.is_running() {
            return Ok(!state.processes.is_empty());
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

fn lines(state: &State, printed: &mut Printed) -> String {
    let mut text = String::new();
    for (at, process) in state.processes.iter().enumerate() {
        let (life, known) = printed.entry(at).or_default();
        let who = format!("{} {}", process.pid, units::printable(&process.program));
        let is_over = !matches!(process.life, Life::Runs | Life::Unknown);
        if life.is_none() {
            let sentence = localized(&format!("log of {who}: `{}`", process.log));
            text += &format!("{}\n", units::printable(&sentence));
        }
        let of_process = state.findings.iter().filter(|found| found.process == at);
        for found in of_process.skip(*known) {
            *known += 1;
            if found.is_consequence {
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
            block_sample: 0,
        }
    }

    fn found(rule: &'static str, is_consequence: bool) -> Finding {
        Finding {
            process: 0,
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
