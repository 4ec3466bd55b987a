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
    match shell {
        Shell::Bash => script.extend_from_slice(bash_values().as_bytes()),
        Shell::Zsh => script = zsh_processes(&script).into_bytes(),
        Shell::Fish => script.extend_from_slice(fish_processes().as_bytes()),
        _ => {}
    }
    script
}

/// What takes the number of a process. clap has no such hint, so each shell's own list of processes is named here.
const OF_A_PROCESS: [&str; 3] = ["attach", "ctl", "detach"];

fn zsh_processes(script: &[u8]) -> String {
    let script = String::from_utf8_lossy(script);
    let takes_one = |line: &str| line.starts_with("':pid -- ") || line.contains("--pid=[");
    let lines = script.lines().map(|line| match takes_one(line) {
        true => line.replace(":_default'", ":_pids'") + "\n",
        false => format!("{line}\n"),
    });
    lines.collect()
}

fn fish_processes() -> String {
    let mut lines = String::new();
    for command in OF_A_PROCESS {
        let _ = writeln!(
            lines,
            "complete -c aclsan -n \"__fish_aclsan_using_subcommand {command}\" -f -a '(__fish_complete_pids)'"
        );
    }
    lines
        + "complete -c aclsan -n \"__fish_aclsan_using_subcommand doctor\" -l pid -x -a '(__fish_complete_pids)'\n"
}

/// Bash takes `--set guard=of` for three words, `guard`, `=` and `of`: a function around clap's completes the third, and numbers of the user's processes.
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
    let commands = OF_A_PROCESS.join(" | ");
    format!(
        r#"
_aclsan_processes() {{
    local process
    COMPREPLY=()
    for process in /proc/"$1"*; do
        process=${{process#/proc/}}
        [[ $process == *[!0-9]* || ! -O /proc/$process ]] || COMPREPLY+=("$process")
    done
}}
_aclsan_values() {{
    local key="" value="" values="" last=$COMP_CWORD
    if [[ ${{COMP_WORDS[last]}} == "=" ]]; then
        key=${{COMP_WORDS[last-1]}}
    elif [[ ${{COMP_WORDS[last-1]}} == "=" ]]; then
        key=${{COMP_WORDS[last-2]}} value=${{COMP_WORDS[last]}}
    fi
    case $key in
{cases}        *)
        case ${{COMP_WORDS[last-1]}} in
        {commands} | --pid) [[ ${{COMP_WORDS[last]}} == -* ]] || {{ _aclsan_processes "${{COMP_WORDS[last]}}"; return; }} ;;
        esac
        _aclsan "$@"
        return
        ;;
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
    fn bash_offers_the_users_processes() {
        let own = std::process::id().to_string();
        let (start, _) = own.split_at(own.len() - 1);
        for words in [
            &["aclsan", "attach", start][..],
            &["aclsan", "detach", ""],
            &["aclsan", "ctl", start],
            &["aclsan", "doctor", "--pid", start],
        ] {
            if let Some(offered) = offered(words) {
                assert!(offered.contains(&own), "{words:?}: {offered:?}");
                let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
                assert!(offered.iter().all(is_number), "{words:?}: {offered:?}");
            }
        }
        let options = offered(&["aclsan", "attach", "--l"]);
        assert!(options.is_none_or(|options| options.contains(&"--log".to_owned())));
    }

    #[test]
    fn zsh_and_fish_ask_for_processes() {
        let text = |shell| String::from_utf8(script(shell)).expect("UTF-8");
        assert_eq!(text(Shell::Zsh).matches(":_pids'").count(), 4);
        assert_eq!(
            text(Shell::Fish).matches("(__fish_complete_pids)").count(),
            4
        );
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
