//! `aclsan completions SHELL`: writes a completion script to standard output.
//!
//! ```text
//! aclsan completions bash > /etc/bash_completion.d/aclsan
//! aclsan completions zsh  > "${fpath[1]}/_aclsan"
//! aclsan completions fish > ~/.config/fish/completions/aclsan.fish
//! ```

use std::fmt::Write;
use std::process::ExitCode;

use aclsan_options::KEYS;
use clap::CommandFactory;

use crate::io::output;
use crate::run::settings::values;

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
    if args.shell == clap_complete::Shell::Bash {
        script.extend_from_slice(bash_values().as_bytes());
    }
    output::write(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Bash takes `--set guard=of` for three words, `guard`, `=` and `of`: a function around clap's completes the third.
fn bash_values() -> String {
    let mut cases = String::new();
    for key in KEYS {
        let values = values(key);
        if !values.is_empty() {
            let _ = writeln!(
                cases,
                "        {}) values=\"{}\" ;;",
                key.name,
                values.join(" ")
            );
        }
    }
    format!(
        r#"
_aclsan_values() {{
    local key="" value="" values="" last=$COMP_CWORD
    if [[ ${{COMP_WORDS[last]}} == "=" ]]; then
        key=${{COMP_WORDS[last-1]}}
    elif [[ ${{COMP_WORDS[last-1]}} == "=" ]]; then
        key=${{COMP_WORDS[last-2]}} value=${{COMP_WORDS[last]}}
    fi
    case $key in
{cases}        *) _aclsan "$@"; return ;;
    esac
    COMPREPLY=($(compgen -W "$values" -- "$value"))
}}
complete -F _aclsan_values -o nosort -o bashdefault -o default aclsan 2>/dev/null ||
    complete -F _aclsan_values -o bashdefault -o default aclsan
"#
    )
}
