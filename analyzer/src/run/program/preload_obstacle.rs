//! What keeps a preloaded library out of a program.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::getuid;

use super::Program;
use super::elf::Elf;

/// Why the shim will not see the program's calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Linked statically: nothing reads `LD_PRELOAD`.
    Static,
    /// Loaded by musl, for which the shim is not built.
    Musl,
    /// Built for another architecture than the shim.
    Machine { program: String, shim: String },
    /// Runs as another user or group: the loader ignores `LD_PRELOAD`.
    SetId,
    /// Has file capabilities: the loader ignores `LD_PRELOAD`.
    Capabilities,
}

impl Obstacle {
    /// Whether preloading does harm: musl ends a program whose preloaded library it cannot load.
    pub fn forbids_preload(&self) -> bool {
        *self == Self::Musl
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static => f.write_str(
                "it is linked statically, so nothing can be preloaded; link it dynamically against libascendcl",
            ),
            Self::Musl => f.write_str(
                "it is loaded by musl, and aclsan is built for glibc, as CANN is; it starts without aclsan",
            ),
            Self::Machine { program, shim } => write!(
                f,
                "it is a program for {program}, and libaclsan.so is for {shim}; use an aclsan built for {program}"
            ),
            Self::SetId => f.write_str(
                "it is set-user-id or set-group-id, where the loader ignores LD_PRELOAD; run a copy without that bit",
            ),
            Self::Capabilities => f.write_str(
                "it has file capabilities, where the loader ignores LD_PRELOAD; run a copy without them",
            ),
        }
    }
}

impl Program {
    /// What keeps `shim` out of this program.
    pub fn obstacles(&self, shim: &Elf) -> Vec<Obstacle> {
        let mut found = Vec::new();
        if let Some(elf) = &self.elf {
            if (elf.bits, elf.machine) != (shim.bits, shim.machine) {
                found.push(Obstacle::Machine {
                    program: elf.kind(),
                    shim: shim.kind(),
                });
            } else if elf.is_musl() {
                found.push(Obstacle::Musl);
            } else if elf.interpreter.is_none() && !self.is_loader() {
                found.push(Obstacle::Static);
            }
        }
        if self.is_set_id() {
            found.push(Obstacle::SetId);
        }
        if self.has_capabilities() {
            found.push(Obstacle::Capabilities);
        }
        found
    }

    // `ld.so program` has no interpreter, and still preloads.
    fn is_loader(&self) -> bool {
        let name = self.loaded.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("ld")
    }

    fn is_set_id(&self) -> bool {
        let Ok(meta) = fs::metadata(&self.loaded) else {
            return false;
        };
        let changes_user = meta.mode() & 0o4000 != 0 && meta.uid() != getuid().as_raw();
        let changes_group =
            meta.mode() & 0o2010 == 0o2010 && meta.gid() != rustix::process::getgid().as_raw();
        changes_user || changes_group
    }

    fn has_capabilities(&self) -> bool {
        let mut value = [0; 64];
        let found = rustix::fs::getxattr(&self.loaded, "security.capability", &mut value);
        // Root has all capabilities, so the loader sees none gained.
        found.is_ok_and(|bytes| bytes > 0) && !getuid().is_root()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(elf: Elf) -> Program {
        Program {
            path: "/no/such/program".into(),
            loaded: "/no/such/program".into(),
            elf: Some(elf),
        }
    }

    fn elf(bits: u8, machine: u16, interpreter: Option<&str>) -> Elf {
        Elf {
            bits,
            machine,
            interpreter: interpreter.map(str::to_owned),
            ..Elf::default()
        }
    }

    #[test]
    fn each_kind_of_program_that_cannot_be_watched_is_distinguished() {
        let shim = elf(64, 62, None);
        let of = |program: Program| program.obstacles(&shim);
        let glibc = elf(64, 62, Some("/lib64/ld-linux-x86-64.so.2"));
        assert_eq!(of(program(glibc)), []);
        assert_eq!(of(program(elf(64, 62, None))), [Obstacle::Static]);
        let musl = of(program(elf(64, 62, Some("/lib/ld-musl-x86_64.so.1"))));
        assert!(musl[0].forbids_preload());
        let foreign = of(program(elf(32, 3, Some("/lib/ld-linux.so.2"))));
        assert!(foreign[0].to_string().contains("32-bit x86"), "{foreign:?}");
    }
}
