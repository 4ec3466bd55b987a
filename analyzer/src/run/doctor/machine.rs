//! Checks limits of this machine that matter under aclsan, and variables that change what is loaded.

use std::env;
use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use super::Doctor;

/// Address space below which the event log and the tables may not fit.
const MIN_ADDRESS_SPACE: u64 = 1 << 30;
/// File size below which logs are cut.
const MIN_FILE_SIZE: u64 = 16 << 20;
/// Mappings below which programs with many libraries and logs run out.
const MIN_MAPPINGS: u64 = 16_384;
/// Open files below which a log may not be opened.
const MIN_OPEN_FILES: u64 = 64;

impl Doctor {
    pub(super) fn check_machine(&mut self) {
        self.check_limits();
        self.check_proc();
        for name in [
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "ACLSAN_OPTIONS",
            "ASCEND_HOME_PATH",
        ] {
            if let Some(value) = env::var_os(name) {
                self.fact("variables", format!("{name}={}", value.display()));
            }
        }
        let preloaded = env::var_os("LD_PRELOAD").unwrap_or_default();
        self.check_preloads(&preloaded.to_string_lossy());
    }

    fn check_limits(&mut self) {
        let kib = |bytes: u64| format!("{} KiB", bytes / 1024);
        let count = |number: u64| number.to_string();
        let limits = [
            ("stack", Resource::Stack, 0, kib as fn(u64) -> String),
            ("locked memory", Resource::Memlock, 0, kib),
            ("address space", Resource::As, MIN_ADDRESS_SPACE, kib),
            ("file size", Resource::Fsize, MIN_FILE_SIZE, kib),
            ("open files", Resource::Nofile, MIN_OPEN_FILES, count),
        ];
        for (what, resource, least, show) in limits {
            let limit = getrlimit(resource).current;
            let shown = limit.map_or("unlimited".to_owned(), show);
            if let Some(limit) = limit.filter(|limit| *limit < least) {
                self.problems.push(format!(
                    "the limit of {what} is {}; from {} on nothing is lost: raise it with `ulimit`",
                    show(limit),
                    show(least)
                ));
            }
            self.fact("limits", format!("{what} {shown}"));
        }
    }

    /// Checks `/proc`.
    fn check_proc(&mut self) {
        let mappings = fs::read_to_string("/proc/sys/vm/max_map_count");
        if let Some(mappings) = mappings
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok())
        {
            self.fact("limits", format!("mappings {mappings}"));
            if mappings < MIN_MAPPINGS {
                self.problems.push(format!(
                    "vm.max_map_count is {mappings}; from {MIN_MAPPINGS} on nothing is lost: raise it with `sysctl`"
                ));
            }
        }
        for (file, needed_for) in [
            (
                "/proc/self/maps",
                "host memory is told from unknown addresses",
            ),
            ("/proc/self/exe", "a log names its program"),
        ] {
            if fs::metadata(file).is_err() {
                self.problems.push(format!(
                    "`{file}` cannot be read, by which {needed_for}: mount /proc"
                ));
            }
        }
    }

    /// Checks libraries preloaded already. The loader splits at blanks and colons, which cannot be escaped.
    fn check_preloads(&mut self, preloaded: &str) {
        for library in preloaded.split([' ', ':']).filter(|path| !path.is_empty()) {
            if library.contains('/') && !Path::new(library).exists() {
                self.problems.push(format!(
                    "LD_PRELOAD names `{library}`, which is not there: the loader splits it at blanks and colons, also inside of a path"
                ));
            }
            if let Some(tool) = tool(library) {
                let fact = format!(
                    "`{library}` of {tool} is preloaded as well: aclsan goes before it, and each sees its own calls"
                );
                self.fact("variables", fact);
            }
        }
    }
}

/// The tool that a library belongs to, by its name.
fn tool(library: &str) -> Option<&'static str> {
    let name = library.rsplit('/').next().unwrap_or_default();
    match name {
        "libascend_kernel_hook.so"
        | "libascend_mstx_hook.so"
        | "libleaks_ascend_hal_hook.so"
        | "libatb_abi_0_hook.so"
        | "libatb_abi_1_hook.so" => Some("msMemScope"),
        "libascend_san_hook.so" | "libruntime_injection.so" => Some("msSanitizer"),
        _ if name.contains("jemalloc") || name.contains("tcmalloc") => Some("another allocator"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_was_split_is_a_problem_and_a_neighbour_is_none() {
        let mut doctor = Doctor::default();
        doctor.check_preloads("/opt/my tools/liba.so:libascend_kernel_hook.so");
        assert_eq!(doctor.problems.len(), 2, "{:?}", doctor.problems);
        assert!(doctor.problems[0].contains("`/opt/my`"));
        assert!(doctor.to_string().contains("msMemScope"));
    }
}
