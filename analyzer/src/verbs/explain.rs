//! `aclsan explain RULE`: the rule's page: what it reports, why it matters, an example, what it cannot see.
//!
//! Pages are in English; with `--lang zh` what the rule reports stands above in Chinese.

use std::process::ExitCode;

use aclsan_render::text::Tongue;
use aclsan_rules::catalogue::{RULES, rule};
use anyhow::bail;

use crate::language::{said, tongue};
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
    let (page, severity) = (page.trim_end(), found.severity.name());
    let head = match tongue() {
        Tongue::English => String::new(),
        Tongue::Chinese => format!(
            "{}：{}（{severity}）\n以下说明只有英文。\n\n",
            found.name,
            said(found.summary)
        ),
    };
    output::write(format!("{head}{page}\n\nSeverity: {severity}\n").as_bytes())?;
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
