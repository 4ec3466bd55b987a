//! `aclsan explain RULE`: the rule's page: what it reports, why it matters, an example, what it cannot see.

use std::process::ExitCode;

use aclsan_rules::catalogue::{RULES, rule};
use anyhow::bail;

use crate::nearest::nearest;
use crate::output;

/// Which rule.
#[derive(clap::Args)]
pub struct Args {
    /// A rule's name, as `aclsan rules` lists them
    #[arg(value_name = "RULE")]
    rule: String,
}

/// Prints the page.
///
/// # Errors
/// When no rule has that name; the sentence names the nearest ones.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(found) = rule(&args.rule) else {
        bail!(unknown(&args.rule));
    };
    let page = found.page();
    output::write(
        format!(
            "{}\n\nSeverity: {}\n",
            page.trim_end(),
            found.severity.name()
        )
        .as_bytes(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The sentence for a name that no rule has.
pub fn unknown(name: &str) -> String {
    let near = nearest(name, RULES.iter().map(|rule| rule.name));
    match near.is_empty() {
        true => format!("`{name}` is not a rule: `aclsan rules` lists them"),
        false => format!(
            "`{name}` is not a rule: did you mean `{}`? `aclsan rules` lists them all",
            near.join("` or `")
        ),
    }
}
