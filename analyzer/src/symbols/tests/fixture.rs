//! Builds small programs with the system's compiler, runs them, and keeps the addresses they print.

use aclsan_left_out::left_out;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::symbols::elf::build_id;
use crate::symbols::{Frame, Module, SearchPaths, Symbols};

/// A folder that is removed with the test.
pub struct Folder(PathBuf);

/// An address that a program recorded, and its module.
pub struct Site {
    pub address: u64,
    pub module: Module,
}

/// An inlined function within a function, each with its own line.
pub const SHOP: &str = "\
void note(void);
static inline __attribute__((always_inline)) void inner(void) {
    note();
    __asm__ volatile(\"\");
}
static __attribute__((noinline)) void hidden(void) {
    inner();
    __asm__ volatile(\"\");
}
int main(void) {
    hidden();
    return 0;
}
";

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "aclsan-symbols-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("recorder.c"), include_str!("recorder.c")).unwrap();
        let folder = Self(path.canonicalize().unwrap());
        folder.run("cc", &["-O1", "-fPIC", "-c", "recorder.c"]);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// Moves a file within the folder.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path(from), to).unwrap();
    }

    /// Runs a tool in the folder and returns its output.
    pub fn run(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(tool)
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap_or_else(|error| panic!("`{tool}`: {error}"));
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{tool} {arguments:?}`: {words}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Compiles [`SHOP`] as `shop`, runs it, and returns the site of its only `note`.
    pub fn shop(&self, options: &[&str]) -> Site {
        self.write("shop.c", SHOP);
        let base = ["-O2", "-o", "shop", "shop.c", "recorder.o"];
        self.run("cc", &[&base, options].concat());
        self.sites("shop", &[]).remove(0)
    }

    /// Runs a program and returns what it recorded.
    pub fn sites(&self, program: &str, arguments: &[&str]) -> Vec<Site> {
        let program = self.path(program);
        let printed = self.run(program.to_str().unwrap(), arguments);
        printed.lines().map(site).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn site(line: &str) -> Site {
    let fields: Vec<&str> = line.splitn(5, ' ').collect();
    let number = |index: usize| u64::from_str_radix(fields[index], 16).unwrap();
    Site {
        address: number(0),
        module: Module {
            path: fields[4].to_owned(),
            start: number(1),
            end: number(2),
            bias: number(3),
            build_id: build_id(Path::new(fields[4])).unwrap(),
        },
    }
}

/// Whether a tool is installed; prints it if not.
pub fn has_tool(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        left_out(format_args!("`{tool}` is not installed"));
    }
    found
}

/// Symbols that search only the test's own folders.
pub fn symbols(debug_dirs: &[PathBuf]) -> Symbols {
    Symbols::new(SearchPaths {
        sysroot: None,
        debug_dirs: debug_dirs.to_vec(),
        system_debug_dir: PathBuf::from("/nonexistent"),
    })
}

/// The frames of a return address in short: `function file:line`, `+` where inlined.
pub fn lines(symbols: &mut Symbols, site: &Site) -> Vec<String> {
    let frames = symbols.resolve(Some(&site.module), site.address, true);
    frames.iter().map(line).collect()
}

pub fn line(frame: &Frame) -> String {
    let function = frame.function.as_deref().unwrap_or("?");
    let place = match (&frame.file, frame.line) {
        (Some(file), Some(line)) => {
            let name = Path::new(file.as_ref())
                .file_name()
                .unwrap()
                .to_string_lossy();
            format!(" {name}:{line}")
        }
        _ => String::new(),
    };
    format!("{}{function}{place}", if frame.inlined { "+" } else { "" })
}
