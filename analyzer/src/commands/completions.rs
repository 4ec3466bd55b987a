//! `aclsan completions SHELL`: a completion script on standard output.
//!
//! ```text
//! aclsan completions bash > /etc/bash_completion.d/aclsan
//! aclsan completions zsh  > "${fpath[1]}/_aclsan"
//! aclsan completions fish > ~/.config/fish/completions/aclsan.fish
//! ```

use std::process::ExitCode;

use clap::CommandFactory;

/// Which shell.
#[derive(clap::Args)]
pub struct Args {
    /// The shell that shall complete
    #[arg(value_enum, value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Writes the script.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut super::cli::Cli::command(),
        "aclsan",
        &mut script,
    );
    crate::io::output::write(&script)?;
    Ok(ExitCode::SUCCESS)
}
