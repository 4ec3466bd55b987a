//! Patterns for file names, for callers without a shell: `*` stands for any run of characters, `?` for any one, within a name.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Whether a path has a character that stands for others.
pub fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?'])
}

/// The files that match, sorted. A name that begins with a dot needs a dot in the pattern.
pub fn matches(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        found = match component {
            Component::Normal(_) if name.contains(['*', '?']) => found
                .iter()
                .flat_map(|folder| names(folder, &name))
                .collect(),
            _ => found.iter().map(|folder| folder.join(component)).collect(),
        };
    }
    found.retain(|path| path.is_file());
    found.sort();
    found
}

fn names(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern: Vec<char> = pattern.chars().collect();
    let read_from = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = fs::read_dir(read_from).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| {
            let name: Vec<char> = name.to_string_lossy().chars().collect();
            (name.first() != Some(&'.') || pattern.first() == Some(&'.')) && fits(&pattern, &name)
        })
        .map(|name| folder.join(name))
        .collect()
}

/// Greedy with one step back: on a mismatch the last `*` takes one character more.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    (p, n) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits_text(pattern: &str, name: &str) -> bool {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        fits(&chars(pattern), &chars(name))
    }

    #[test]
    fn stars_and_question_marks_stand_for_what_they_should() {
        for (pattern, name) in [
            ("*.aclsan", "a.aclsan"),
            ("*", ""),
            ("a*b*c", "a-b-b-c"),
            ("rank?.aclsan", "rank7.aclsan"),
        ] {
            assert!(fits_text(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.aclsan", "a.aclsan.gz"),
            ("a*b", "a-b-c"),
            ("rank?.aclsan", "rank10.aclsan"),
            ("", "a"),
        ] {
            assert!(!fits_text(pattern, name), "{pattern} {name}");
        }
    }
}
