//! `aclsan completions SHELL`: writes a completion script to standard output.
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
    /// The shell to complete in
    #[arg(value_enum, value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Writes the script.
///
/// # Errors
/// If standard output cannot be written.
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
