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
use clap_complete::Shell;

use crate::io::output;
use crate::run::settings::values;

/// Which shell.
#[derive(clap::Args)]
pub struct Args {
    /// The shell to complete in
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Writes the script.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    output::write(&script(args.shell))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut command = super::cli::Cli::command();
    clap_complete::generate(shell, &mut command, "aclsan", &mut script);
    if shell == Shell::Bash {
        script.extend_from_slice(bash_values().as_bytes());
    }
    script
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// What bash offers for the last of these words, if there is a bash.
    fn offered(words: &[&str]) -> Option<Vec<String>> {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let last = words.len() - 1;
        let mut text = String::from_utf8(script(Shell::Bash)).expect("UTF-8");
        text += &format!(
            "\nCOMP_WORDS=({}) COMP_CWORD={last}\n_aclsan_values aclsan {} {}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            quoted.join(" "),
            quoted[last],
            quoted[last - 1]
        );
        let mut bash = Command::new("bash")
            .args(["--norc", "-s"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut input = bash.stdin.take().expect("a pipe");
        input.write_all(text.as_bytes()).expect("bash reads");
        drop(input);
        let output = bash.wait_with_output().expect("bash ends");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        Some(text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn bash_offers_rules_options_their_values_and_formats() {
        for (words, expected) in [
            (&["aclsan", "explain", "double"][..], "double-free"),
            (&["aclsan", "export", "--format", "torch"], "torch-snapshot"),
            (&["aclsan", "check", "--fail-on", "warn"], "warning"),
            (&["aclsan", "run", "--set", "guard_b"], "guard_bytes="),
            (&["aclsan", "run", "--set", "guard", "=", "p"], "page"),
            (&["aclsan", "run", "--set", "lang", "="], "zh"),
            (&["aclsan", "run", "--guard", "bo"], "both"),
        ] {
            if let Some(offered) = offered(words) {
                assert!(
                    offered.iter().any(|word| word == expected),
                    "{words:?}: {offered:?}"
                );
            }
        }
    }

    #[test]
    fn zsh_and_fish_have_the_same_words() {
        for shell in [Shell::Zsh, Shell::Fish] {
            let text = String::from_utf8(script(shell)).expect("UTF-8");
            for word in ["double-free", "guard=page", "lang=zh", "torch-snapshot"] {
                assert!(text.contains(word), "{shell}: {word}");
            }
        }
    }
}
