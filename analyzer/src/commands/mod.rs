//! The commands, one file each; the module documentation of a command is its manual.
//!
//! To add one, write `commands/NAME.rs` with `Args` and `run(args) -> anyhow::Result<ExitCode>`, and add a variant, its arm, and its manual
//! in [`manual`].

use std::process::ExitCode;

pub mod account;
pub mod attach;
pub mod check;
pub mod cli;
pub mod completions;
pub mod ctl;
pub mod demo;
pub mod detach;
pub mod diff;
pub mod doctor;
pub mod dump;
pub mod env;
pub mod explain;
pub mod export;
pub mod findings;
pub mod fleet;
pub mod frag;
pub mod help;
pub mod import;
pub mod leaks;
pub mod pack;
pub mod pages;
pub mod plan;
pub mod report;
pub mod rules;
pub mod run;
mod section;
pub mod serve;
pub mod simulator;
pub mod timeline;
pub mod top;

/// The command.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Run a program under aclsan, then report
    Run(run::Args),
    /// Show everything in a log: findings, leaks, fragmentation
    Report(report::Args),
    /// Show what was never released, by allocation site
    Leaks(leaks::Args),
    /// Show how device memory is fragmented, at the peak and at the end
    Frag(frag::Args),
    /// Show who holds device memory, until it adds up
    Account(account::Args),
    /// Show what a recorded run would have needed with other settings
    Plan(plan::Args),
    /// Show live bytes over time
    Timeline(timeline::Args),
    /// Begin to watch a process that runs already
    Attach(attach::Args),
    /// End the watch that `attach` began
    Detach(detach::Args),
    /// Watch what a running program holds, in a terminal
    Top(top::Args),
    /// Tell aclsan in a running program what to do: start, stop, snapshot, check, mark, set
    Ctl(ctl::Args),
    /// Serve what running programs hold: metrics, and a live page
    Serve(serve::Args),
    /// Show what was done wrong, without leaks and numbers
    Findings(findings::Args),
    /// Decide whether a recorded run passes, for CI
    Check(check::Args),
    /// Compare two runs, or two moments of one
    Diff(diff::Args),
    /// Convert a log for other viewers
    Export(export::Args),
    /// Ask a dataset of many processes, with DuckDB
    Fleet(fleet::Args),
    /// Convert other tools' recordings into logs
    Import(import::Args),
    /// Write a log's events as JSON lines
    Dump(dump::Args),
    /// Compress logs; all commands read them as they are
    Pack(pack::Args),
    /// Print a rule's page
    Explain(explain::Args),
    /// List the rules
    Rules(rules::Args),
    /// Show what aclsan finds, on a program that needs no NPU
    Demo(demo::Args),
    /// Check whether a program's calls can be seen here, and what would be missed
    Doctor(doctor::Args),
    /// Print the variables that `run` would set, for other launchers
    Env(env::Args),
    /// Print where the CPU-only AscendCL is
    Simulator(simulator::Args),
    /// Write a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages, or pages of the book
    #[command(hide = true)]
    Pages(pages::Args),
}

/// A command's manual in Markdown, which `--help` prints after its options: the documentation of its module. Empty for an unknown name.
pub fn manual(command: &str) -> String {
    let source = match command {
        "run" => include_str!("run.rs"),
        "report" => include_str!("report.rs"),
        "leaks" => include_str!("leaks.rs"),
        "frag" => include_str!("frag.rs"),
        "account" => include_str!("account.rs"),
        "plan" => include_str!("plan.rs"),
        "timeline" => include_str!("timeline.rs"),
        "attach" => include_str!("attach.rs"),
        "detach" => include_str!("detach.rs"),
        "top" => include_str!("top.rs"),
        "ctl" => include_str!("ctl.rs"),
        "serve" => include_str!("serve.rs"),
        "findings" => include_str!("findings.rs"),
        "check" => include_str!("check.rs"),
        "diff" => include_str!("diff.rs"),
        "export" => include_str!("export/mod.rs"),
        "fleet" => include_str!("fleet/mod.rs"),
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
    lines.collect::<Vec<_>>().join("\n")
}

impl Command {
    /// Runs the command and returns the exit code.
    ///
    /// # Errors
    /// One sentence for the user.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Run(args) => run::run(args),
            Self::Report(args) => report::run(args),
            Self::Leaks(args) => leaks::run(args),
            Self::Frag(args) => frag::run(args),
            Self::Account(args) => account::run(args),
            Self::Plan(args) => plan::run(args),
            Self::Timeline(args) => timeline::run(args),
            Self::Attach(args) => attach::run(args),
            Self::Detach(args) => detach::run(args),
            Self::Top(args) => top::run(args),
            Self::Ctl(args) => ctl::run(&args),
            Self::Serve(args) => serve::run(args),
            Self::Findings(args) => findings::run(args),
            Self::Check(args) => check::run(args),
            Self::Diff(args) => diff::run(args),
            Self::Export(args) => export::run(args),
            Self::Fleet(args) => fleet::run(args),
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
            Self::Pages(args) => pages::run(args),
        }
    }

    /// The exit code if [`Command::run`] fails. `run` passes on another program's code and needs one of its own.
    pub fn failure(&self) -> u8 {
        match self {
            Self::Run(_) => run::FAILURE,
            _ => 2,
        }
    }
}
