//! Log templates, which the shim fills in, and the folder in which to look for logs afterwards.
//!
//! `%p` is the process, `%h` the host, `%e` the program, `%t` the start time, `%q{VARIABLE}` a variable's value and `%%` a percent sign.

use std::path::{Component, Path, PathBuf};

/// The default name of logs.
pub const DEFAULT: &str = "aclsan-%h-%p.aclsan";

/// The template for a user's argument: the name itself, or the default name in a folder.
pub fn template(named: &str) -> String {
    let last = named.rsplit('/').next().unwrap_or_default();
    let is_folder = last.is_empty()
        || Path::new(named).is_dir()
        || !(last.contains('%') || last.ends_with(".aclsan"));
    match is_folder {
        true => format!("{}/{DEFAULT}", named.trim_end_matches('/')),
        false => named.to_owned(),
    }
}

/// Makes a template absolute, so that a program that changes its directory keeps its log with the others. Unchanged if the working
/// directory is unknown or cannot be written in an option.
pub fn absolute(template: &str) -> String {
    let here = std::env::current_dir().ok();
    match here.as_deref().and_then(Path::to_str) {
        // Escape percent signs in the working directory.
        Some(here) if !template.starts_with('/') => {
            let below = template.trim_start_matches("./");
            format!("{}/{below}", here.trim_end_matches('/').replace('%', "%%"))
        }
        _ => template.to_owned(),
    }
}

/// The template for an option's value, as the shim reads it: a folder, which exists or ends with `/`, means a file of the default name in
/// it.
pub fn of_option(value: &str) -> String {
    let is_folder = value.ends_with('/') || Path::new(&value.replace("%%", "%")).is_dir();
    match is_folder {
        true => format!("{}/{DEFAULT}", value.trim_end_matches('/')),
        false => value.to_owned(),
    }
}

/// The template filled in by our environment, except for what differs between processes.
pub fn in_environment(template: &str) -> String {
    let value_of = |name: &str| {
        let value = std::env::var_os(name)?;
        value.into_string().ok() // the shim, too, ignores values that are not UTF-8
    };
    of_option(&with_variables(template, value_of))
}

/// Replaces `%q{NAME}` by `value_of`; an unset variable is empty, as for the shim.
fn with_variables(template: &str, value_of: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        out += before;
        let variable = after
            .strip_prefix("q{")
            .and_then(|name| name.split_once('}'));
        rest = match variable {
            Some((name, after)) => {
                out += &value_of(name).unwrap_or_default().replace('%', "%%");
                after
            }
            None => {
                out.push('%');
                // The second of two percent signs starts nothing.
                let second = after.strip_prefix('%');
                out.extend(second.map(|_| '%'));
                second.unwrap_or(after)
            }
        };
    }
    out + rest
}

/// Where logs of a template can be.
#[derive(PartialEq, Eq, Debug)]
pub struct Place {
    /// The deepest folder common to all of them.
    pub folder: PathBuf,
    /// How many folders deeper they are.
    pub depth: usize,
}

/// Where logs of `template` can be.
pub fn place(template: &str) -> Place {
    let parent = Path::new(template).parent().unwrap_or(Path::new(""));
    let mut folder = PathBuf::new();
    let mut depth = 0;
    for part in parent.components() {
        let text = part.as_os_str().to_string_lossy();
        let is_fixed = depth == 0 && !text.replace("%%", "").contains('%');
        match part {
            Component::Normal(_) if !is_fixed => depth += 1,
            Component::Normal(_) => folder.push(text.replace("%%", "%")),
            other => folder.push(other),
        }
    }
    if folder.as_os_str().is_empty() {
        folder.push(".");
    }
    Place { folder, depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gets_the_default_name_and_a_name_stays() {
        assert_eq!(template("logs"), "logs/aclsan-%h-%p.aclsan");
        assert_eq!(template("logs/"), "logs/aclsan-%h-%p.aclsan");
        assert_eq!(template("/"), "/aclsan-%h-%p.aclsan");
        assert_eq!(template("logs/one.aclsan"), "logs/one.aclsan");
        assert_eq!(template("rank-%q{RANK}"), "rank-%q{RANK}");
    }

    #[test]
    fn an_options_folder_ends_with_a_slash_or_is_there() {
        assert_eq!(of_option("new/"), "new/aclsan-%h-%p.aclsan");
        assert_eq!(of_option("/"), "/aclsan-%h-%p.aclsan");
        assert_eq!(of_option("/tmp"), "/tmp/aclsan-%h-%p.aclsan");
        assert_eq!(of_option("no-such-folder"), "no-such-folder");
    }

    #[test]
    fn variables_are_filled_in_and_other_marks_stay() {
        let value_of = |name: &str| (name == "REF").then(|| "a/50%".to_owned());
        let filled = |template| with_variables(template, value_of);
        assert_eq!(filled("ci/%q{REF}-%p"), "ci/a/50%%-%p");
        assert_eq!(filled("%q{NOPE}/x"), "/x");
        assert_eq!(filled("100%%q{REF}%h%"), "100%%q{REF}%h%");
    }

    #[test]
    fn the_place_ends_where_processes_differ() {
        let of = |template| {
            let place = place(template);
            (place.folder.display().to_string(), place.depth)
        };
        assert_eq!(of("/data/run/x-%p.aclsan"), ("/data/run".to_owned(), 0));
        assert_eq!(
            of("/data/%h/rank-%q{RANK}/x.aclsan"),
            ("/data".to_owned(), 2)
        );
        assert_eq!(of("x.aclsan"), (".".to_owned(), 0));
        assert_eq!(of("/data/100%%/x.aclsan"), ("/data/100%".to_owned(), 0));
    }

    #[test]
    fn an_absolute_template_is_the_same_from_every_folder() {
        assert_eq!(absolute("/data/%p.aclsan"), "/data/%p.aclsan");
        let here = std::env::current_dir().unwrap();
        let expected = here.join("logs/%p.aclsan");
        assert_eq!(absolute("./logs/%p.aclsan"), expected.to_str().unwrap());
    }
}
