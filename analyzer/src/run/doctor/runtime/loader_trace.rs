//! Asks the dynamic loader what it would load.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// The loader's answer.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Loads {
    /// Names and paths; `None` if not found.
    libraries: Vec<(String, Option<PathBuf>)>,
}

impl Loads {
    /// The path of `name`.
    pub fn path_of(&self, name: &str) -> Option<&Path> {
        let found = self.libraries.iter().find(|(known, _)| known == name)?;
        found.1.as_deref()
    }

    /// Needed libraries that are not found.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let missing = self.libraries.iter().filter(|(_, path)| path.is_none());
        missing.map(|(name, _)| name.as_str())
    }

    /// Every file that would be loaded.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.libraries
            .iter()
            .filter_map(|(_, path)| path.as_deref())
    }

    // `name => /path (0x…)`, `name => not found`, `/path (0x…)`, `linux-vdso.so.1 (0x…)`.
    fn parse(text: &str) -> Self {
        let mut loads = Self::default();
        for line in text.lines().map(str::trim) {
            let Some((name, target)) = line.split_once(" => ") else {
                continue;
            };
            let path = match target.rsplit_once(" (0x") {
                Some((path, _)) => Some(PathBuf::from(path)),
                None if target == "not found" => None,
                None => continue,
            };
            let name = name.rsplit('/').next().unwrap_or(name);
            loads.libraries.push((name.to_owned(), path));
        }
        loads
    }
}

/// What `loader` would load for `program` if it also opened `also`. Libraries of `also` that are not found are left out.
///
/// # Errors
/// If the loader is not glibc's, or does not answer.
pub fn ask(
    loader: &Path,
    program: &Path,
    library_path: Option<&str>,
    also: &[&str],
) -> anyhow::Result<Loads> {
    let name = loader.file_name().unwrap_or_default().to_string_lossy();
    // Another loader would ignore the variable, and run the program.
    if !["ld-linux", "ld64.so", "ld.so"]
        .iter()
        .any(|known| name.starts_with(known))
    {
        bail!(
            "`{}` is not glibc's loader, so it cannot be asked",
            loader.display()
        );
    }
    let mut command = Command::new(loader);
    // Not `--list`, which stops at the first missing library.
    command.arg(program).env("LD_TRACE_LOADED_OBJECTS", "1");
    // Preloaded names are searched as if the program itself had opened them.
    command.env("LD_PRELOAD", also.join(":"));
    if let Some(path) = library_path {
        command.env("LD_LIBRARY_PATH", path);
    }
    let output = command
        .output()
        .with_context(|| format!("cannot ask the loader `{}`", loader.display()))?;
    let loads = Loads::parse(&String::from_utf8_lossy(&output.stdout));
    if loads.libraries.is_empty() && !output.status.success() {
        bail!(
            "the loader `{}` cannot tell what `{}` loads: {}",
            loader.display(),
            program.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(loads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_and_missing_libraries_are_distinguished() {
        let loads = Loads::parse(
            "\tlinux-vdso.so.1 (0x00007fff)\n\tlibascendcl.so => /opt/a b/libascendcl.so (0x00007f00)\n\
             \tlibascend_hal.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f01)\n",
        );
        let path = loads.path_of("libascendcl.so");
        assert_eq!(path, Some(Path::new("/opt/a b/libascendcl.so")));
        assert_eq!(loads.missing().collect::<Vec<_>>(), ["libascend_hal.so"]);
    }
}
