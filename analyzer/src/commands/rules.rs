//! `aclsan rules`: lists every rule with its severity and what it reports.
//!
//! With `--lang zh`, what they report is given in Chinese. `--json` writes a list of `{name, severity, summary, live}`; `live` says that the shim
//! judges the rule at the call.

use std::fmt::Write;
use std::process::ExitCode;

use aclsan_rules::judge::registry::RULES;
use serde_json::json;

use crate::io::language::localized;
use crate::io::output;

/// How to list.
#[derive(clap::Args)]
pub struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Lists the rules in the order of the documentation.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.json {
        let rules = RULES.iter().map(|rule| {
            json!({ "name": rule.name, "severity": rule.severity.name(), "summary": rule.summary, "live": rule.is_live })
        });
        output::write_json(
            &json!({ "schema_version": aclsan_render::SCHEMA_VERSION, "rules": rules.collect::<Vec<_>>() }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in RULES {
        let _ = writeln!(
            text,
            "{:name$}  {:7}  {}",
            rule.name,
            rule.severity.name(),
            localized(rule.summary)
        );
    }
    output::write(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
