//! Checks the runtime that would be loaded: libraries, calls, libc.

use serde_json::json;

use super::Doctor;
use crate::run::doctor::runtime::{self, Call, Library, Runtime, Topology};
use crate::run::program::elf::Elf;

impl Doctor {
    pub(super) fn check_runtime(&mut self, runtime: &Runtime) {
        let topology = match runtime.topology() {
            Topology::None => "none: no library here exports aclrtMalloc",
            Topology::One => "one library: public names are the real code (up to CANN 8.3)",
            Topology::Split => "split: public names forward to Impl names (CANN 8.5 to 9.1)",
            Topology::Merged => {
                "merged: public names forward to Impl names in libruntime.so (after CANN 9.1)"
            }
        };
        self.fact("runtime", topology);
        if let Some(version) = runtime::version(runtime) {
            self.fact("runtime", version);
        }
        for library in &runtime.libraries {
            let how = match library.is_linked {
                true => "linked",
                false => "there to be opened",
            };
            let path = library.path.display();
            self.fact("runtime", format!("{:18} {how:18} {path}", library.name));
            self.libraries.push(json!({
                "name": library.name, "path": library.path.display().to_string(), "linked": library.is_linked,
            }));
        }
        if runtime.topology() == Topology::None {
            self.problems.push(
                "no AscendCL runtime is found: source CANN's `set_env.sh`, or use `--simulate`; a program that opens it by its full path is still watched"
                    .to_owned(),
            );
        }
        for (name, by) in &runtime.missing {
            let hint = match name.as_str() {
                "libascend_hal.so" => {
                    "; it comes with the NPU driver, so this machine has none or its path is not set"
                }
                _ => "",
            };
            self.problems
                .push(format!("`{by}` needs `{name}`, which is not found{hint}"));
        }
        self.check_calls(runtime);
    }

    pub(super) fn check_calls(&mut self, runtime: &Runtime) {
        let calls = runtime::calls(runtime);
        let present = calls
            .iter()
            .filter(|call| call.public.or(call.twin).is_some());
        let absent: Vec<&str> = calls
            .iter()
            .filter(|call| call.public.or(call.twin).is_none())
            .map(|call| call.name)
            .collect();
        let count = present.count();
        for call in &calls {
            self.calls
                .push(json!({ "name": call.name, "public": call.public, "impl": call.twin }));
        }
        if runtime.topology() == Topology::None {
            return;
        }
        self.fact(
            "calls",
            format!("{count} of the {} that aclsan knows are here", calls.len()),
        );
        if !absent.is_empty() {
            let fact = format!(
                "not in this runtime, so nothing to miss: {}",
                absent.join(", ")
            );
            self.fact("calls", fact);
        }
        self.check_entry_points(runtime, &calls);
        let unhooked = runtime::unhooked(runtime);
        if !unhooked.is_empty() {
            self.names(
                "in this runtime, about memory by their names, and not watched:",
                &unhooked,
            );
        }
    }

    /// By which names calls reach the hooks in this runtime.
    fn check_entry_points(&mut self, runtime: &Runtime, calls: &[Call<'_>]) {
        let public = calls.iter().filter(|call| call.public.is_some()).count();
        let twins = calls.iter().filter(|call| call.twin.is_some()).count();
        let is_linked = |library: &Library| library.is_linked && library.has("aclrtMalloc");
        let how = match runtime.libraries.iter().any(is_linked) {
            true => "as linked, and as looked up by dlsym",
            false => "as looked up by dlsym, since the program is not linked with them",
        };
        self.fact("doors", format!("{public} by their public names: {how}"));
        self.fact(
            "doors",
            match twins {
                0 => "no Impl names: whoever has an address from before aclsan was loaded is not seen".to_owned(),
                _ => format!("{twins} by their Impl names, whatever way the caller took"),
            },
        );
        if runtime
            .libraries
            .iter()
            .any(|library| library.has("rtMalloc"))
        {
            let fact = "rtMalloc and its like, where the program itself calls that layer";
            self.fact("doors", fact);
        }
    }

    /// Adds names in lines of readable length.
    fn names(&mut self, what: &str, names: &[&str]) {
        self.fact("calls", what);
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > 84 {
                self.fact("calls", std::mem::take(&mut line));
            }
            line.push_str("  ");
            line.push_str(name);
        }
        self.fact("calls", line);
    }

    pub(super) fn check_libc(&mut self, runtime: &Runtime, shim: Option<&Elf>) {
        let libc = runtime.libc.as_deref().map(Elf::read);
        let has = libc.and_then(|libc| libc.ok().flatten()?.defines_glibc);
        let Some(has) = has else { return };
        self.fact("glibc", version(has));
        if let Some(needs) = shim.and_then(|shim| shim.glibc) {
            self.fact(
                "glibc",
                format!("the shim needs {} or later", version(needs)),
            );
            if needs > has {
                self.problems.push(format!(
                    "the shim needs glibc {}, the program has {}; take a build of aclsan for older systems",
                    version(needs),
                    version(has)
                ));
            }
        }
    }
}

fn version((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}
