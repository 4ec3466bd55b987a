//! A program or library, parsed from the output of `readelf`.

use std::path::Path;
use std::process::Command;

/// A row of the dynamic symbol table.
pub struct Symbol {
    pub name: String,
    /// `GLIBC_2.2.5`; empty if it has none.
    pub version: String,
    pub is_defined: bool,
    pub is_weak: bool,
}

/// The lines that `readelf` prints with these options.
pub fn readelf(file: &Path, options: &[&str]) -> Vec<String> {
    let mut readelf = Command::new("readelf");
    let output = readelf.args(options).arg(file).env("LC_ALL", "C").output();
    let output = output.expect("readelf comes with the compiler");
    assert!(output.status.success(), "{}", file.display());
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(str::to_owned).collect()
}

/// The dynamic symbols: number, address, size, type, binding, visibility, section, name.
pub fn symbols(file: &Path) -> Vec<Symbol> {
    let row = |line: String| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[number, _, _, _, binding, _, section, name, ..] = &fields[..] else {
            return None;
        };
        number.strip_suffix(':')?.parse::<u32>().ok()?;
        let (name, version) = name.split_once('@').unwrap_or((name, ""));
        Some(Symbol {
            name: name.to_owned(),
            version: version.trim_start_matches('@').to_owned(),
            is_defined: section != "UND",
            is_weak: binding == "WEAK",
        })
    };
    let lines = readelf(file, &["--dyn-syms", "-W"]).into_iter();
    lines.filter_map(row).collect()
}

/// The values of a dynamic section tag: the text in brackets, or all of it.
pub fn dynamic(file: &Path, tag: &str) -> Vec<String> {
    let tag = format!("({tag})");
    let lines = readelf(file, &["-d", "-W"]).into_iter();
    let value = |line: String| {
        let (_, value) = line.split_once(&tag)?;
        let bracketed = value
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        Some(
            bracketed
                .map_or(value, |(inside, _)| inside)
                .trim()
                .to_owned(),
        )
    };
    lines.filter_map(value).collect()
}
