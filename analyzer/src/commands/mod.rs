//! The verbs, one file each; a verb's module documentation is its manual.
//!
//! To add one: write `verbs/NAME.rs` with `Args` and `run(args) -> anyhow::Result<ExitCode>`; add a variant and its arm here, and its manual
//! to [`manual`].

use std::process::ExitCode;

pub mod check;
pub mod cli;
pub mod completions;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod dump;
pub mod env;
pub mod explain;
pub mod export;
pub mod findings;
pub mod frag;
pub mod import;
pub mod leaks;
pub mod pack;
pub mod report;
pub mod rules;
pub mod run;
mod section;
pub mod simulator;
pub mod timeline;

/// What to do.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Run a program under aclsan, then report
    Run(run::Args),
    /// Tell everything that a log shows: findings, leaks, fragmentation
    Report(report::Args),
    /// Tell what was never released, by allocation site
    Leaks(leaks::Args),
    /// Tell how device memory is cut up, at the end and at the peak
    Frag(frag::Args),
    /// Tell how many bytes were live, over time
    Timeline(timeline::Args),
    /// Tell what was done wrong, without leaks and numbers
    Findings(findings::Args),
    /// Decide whether a recorded run passes: for CI
    Check(check::Args),
    /// Tell what changed between two runs, or two moments of one
    Diff(diff::Args),
    /// Convert a log for other viewers
    Export(export::Args),
    /// Make logs of msMemScope's recordings
    Import(import::Args),
    /// Write a log's events as JSON lines
    Dump(dump::Args),
    /// Make logs smaller, to keep them; every verb reads them as they are
    Pack(pack::Args),
    /// Print a rule's page
    Explain(explain::Args),
    /// List the rules
    Rules(rules::Args),
    /// Show what aclsan finds, on a program that needs no NPU
    Demo(demo::Args),
    /// Tell whether a program's calls can be seen here, and what would be missed
    Doctor(doctor::Args),
    /// Print the variables that `run` would set, for other launchers
    Env(env::Args),
    /// Print where the CPU-only AscendCL lies
    Simulator(simulator::Args),
    /// Write a completion script for a shell
    Completions(completions::Args),
}

/// A verb's manual, which `--help` prints behind its options: the documentation of its module. Empty for a name that is no verb.
pub fn manual(command: &str) -> String {
    let source = match command {
        "run" => include_str!("run.rs"),
        "report" => include_str!("report.rs"),
        "leaks" => include_str!("leaks.rs"),
        "frag" => include_str!("frag.rs"),
        "timeline" => include_str!("timeline.rs"),
        "findings" => include_str!("findings.rs"),
        "check" => include_str!("check.rs"),
        "diff" => include_str!("diff.rs"),
        "export" => include_str!("export/mod.rs"),
        "import" => include_str!("import.rs"),
        "dump" => include_str!("dump.rs"),
        "pack" => include_str!("pack.rs"),
        "explain" => include_str!("explain.rs"),
        "rules" => include_str!("rules.rs"),
        "demo" => include_str!("demo.rs"),
        "doctor" => include_str!("doctor.rs"),
        "env" => include_str!("env.rs"),
        "simulator" => include_str!("simulator.rs"),
        "completions" => include_str!("completions.rs"),
        _ => "",
    };
    let documentation = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = documentation.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with("```")).collect();
    kept.join("\n")
}

impl Command {
    /// Does it, and gives the exit code.
    ///
    /// # Errors
    /// With one sentence for the user.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Run(args) => run::run(args),
            Self::Report(args) => report::run(args),
            Self::Leaks(args) => leaks::run(args),
            Self::Frag(args) => frag::run(args),
            Self::Timeline(args) => timeline::run(args),
            Self::Findings(args) => findings::run(args),
            Self::Check(args) => check::run(args),
            Self::Diff(args) => diff::run(args),
            Self::Export(args) => export::run(args),
            Self::Import(args) => import::run(args),
            Self::Dump(args) => dump::run(args),
            Self::Pack(args) => pack::run(args),
            Self::Explain(args) => explain::run(args),
            Self::Rules(args) => rules::run(args),
            Self::Demo(args) => demo::run(args),
            Self::Doctor(args) => doctor::run(args),
            Self::Env(args) => env::run(args),
            Self::Simulator(args) => simulator::run(args),
            Self::Completions(args) => completions::run(args),
        }
    }

    /// The exit code when [`Command::run`] fails. A verb that passes another program's code on needs one of its own.
    pub fn failure(&self) -> u8 {
        match self {
            Self::Run(_) => run::FAILURE,
            _ => 2,
        }
    }
}
