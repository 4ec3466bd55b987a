//! What `--help` says: the manual of each command, and one line for each option.

const MANUALS: [(&str, &str); 27] = [
    ("account", include_str!("manuals/account.md")),
    ("attach", include_str!("manuals/attach.md")),
    ("check", include_str!("manuals/check.md")),
    ("completions", include_str!("manuals/completions.md")),
    ("demo", include_str!("manuals/demo.md")),
    ("detach", include_str!("manuals/detach.md")),
    ("diff", include_str!("manuals/diff.md")),
    ("doctor", include_str!("manuals/doctor.md")),
    ("dump", include_str!("manuals/dump.md")),
    ("env", include_str!("manuals/env.md")),
    ("explain", include_str!("manuals/explain.md")),
    ("export", include_str!("manuals/export.md")),
    ("fleet", include_str!("manuals/fleet.md")),
    ("findings", include_str!("manuals/findings.md")),
    ("frag", include_str!("manuals/frag.md")),
    ("import", include_str!("manuals/import.md")),
    ("leaks", include_str!("manuals/leaks.md")),
    ("plan", include_str!("manuals/plan.md")),
    ("pack", include_str!("manuals/pack.md")),
    ("report", include_str!("manuals/report.md")),
    ("rules", include_str!("manuals/rules.md")),
    ("run", include_str!("manuals/run.md")),
    ("ctl", include_str!("manuals/ctl.md")),
    ("serve", include_str!("manuals/serve.md")),
    ("simulator", include_str!("manuals/simulator.md")),
    ("timeline", include_str!("manuals/timeline.md")),
    ("top", include_str!("manuals/top.md")),
];

/// Not patterns, as other sentences are: options have braces in them.
const LINES: [&str; 2] = [include_str!("help.txt"), include_str!("options.txt")];

/// The manual of a command.
pub fn manual(command: &str) -> Option<&'static str> {
    let found = MANUALS.iter().find(|(name, _)| *name == command);
    found.map(|(_, manual)| *manual)
}

/// A line about a command, a flag, a value or an option.
pub fn help(english: &str) -> Option<&'static str> {
    let lines = LINES.iter().flat_map(|table| table.lines());
    let mut lines = lines.filter_map(|line| line.split_once(" => "));
    lines.find_map(|(known, chinese)| (known == english).then_some(chinese))
}
