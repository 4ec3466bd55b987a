//! The environment variables that load the shim into a program, and the simulator below it.

use std::env;
use std::path::{Path, PathBuf};

use crate::run::loader_path::LoaderSafePath;
use crate::run::preload;
use crate::run::settings::{self, Settings};
use crate::run::simulator::{Simulator, Topology};
use crate::run::toolkit::Toolkit;

/// Which shim is loaded, and which runtime the program uses.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is loaded")]
pub struct Loading {
    /// Load this libaclsan.so instead of the one that belongs to this command
    #[arg(long, value_name = "PATH")]
    pub preload: Option<PathBuf>,
    /// Run on the simulator, without an NPU: on the libraries of CANN up to 8.3, of 8.1, of 8.5 to 9.1, or after 9.1
    #[arg(long, value_name = "TOPOLOGY", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "one")]
    pub simulate: Option<Topology>,
    /// Whether the simulator comes with a folder in the shape of a CANN installation, which stays
    #[arg(skip = true)]
    pub has_toolkit: bool,
}

/// Variables to set, and the temporary links that they use.
#[derive(Debug)]
pub struct Environment {
    variables: Vec<(&'static str, String)>,
    links: Vec<LoaderSafePath>,
}

impl Loading {
    /// The simulator that is asked for, and whether with a toolkit's folder.
    pub fn simulator(&self) -> (Option<Topology>, bool) {
        (self.simulate, self.has_toolkit)
    }
}

impl Environment {
    /// Builds the variables for `shim` and `settings`, on top of the current ones. `asan` is the AddressSanitizer runtime that the program
    /// needs.
    ///
    /// # Errors
    /// If the simulator is requested and missing, or a path or option cannot be passed on.
    pub fn new(
        shim: &Path,
        (simulate, has_toolkit): (Option<Topology>, bool),
        settings: &Settings,
        asan: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut links = vec![LoaderSafePath::of(shim)?];
        let wants = ["libc_free", "leak_scan", "host_access"];
        let is_wanted =
            |option: &&str| settings.is_on(option) || settings.get(option) == Some("trap");
        if let Some(option) = wants.into_iter().find(is_wanted) {
            let companion = shim.with_file_name(preload::FREE_FILE);
            if !companion.is_file() {
                anyhow::bail!(
                    "`{option}` needs `{}`, which is not there; build it with `cargo build --release`",
                    companion.display()
                );
            }
            links.push(LoaderSafePath::of(&companion)?);
        }
        let simulator = simulate.map(|topology| Simulator::find().map(|found| (found, topology)));
        let simulator = simulator.transpose()?;
        // Without it torch_npu does not report its pool.
        let hook = simulator
            .as_ref()
            .map(|(found, topology)| found.kernel_hook(*topology));
        if let Some(hook) = hook.filter(|hook| hook.is_file()) {
            links.push(LoaderSafePath::of(&hook)?);
        }
        let shims: Vec<&str> = links.iter().map(LoaderSafePath::as_str).collect();
        let preload = preload::join(&shims, &current("LD_PRELOAD"), asan);
        let mut variables = vec![
            ("LD_PRELOAD", preload),
            (settings::VARIABLE, settings.to_variable()?),
        ];
        if let Some((simulator, topology)) = simulator {
            let mut libraries = simulator.libraries(topology);
            if has_toolkit {
                let toolkit = Toolkit::temporary(&simulator, topology)?;
                let is_unset = |name: &str| env::var_os(name).is_none_or(|value| value.is_empty());
                variables.extend(toolkit.variables().filter(|(name, _)| is_unset(name)));
                libraries = toolkit.libraries();
            }
            let libraries = LoaderSafePath::of(&libraries)?;
            let modules = LoaderSafePath::of(&simulator.python())?;
            for (variable, folder) in [("LD_LIBRARY_PATH", libraries), ("PYTHONPATH", modules)] {
                variables.push((variable, before(folder.as_str(), &current(variable))));
                links.push(folder);
            }
            if let Some(soc) = settings.get("soc").filter(|soc| *soc != "auto") {
                variables.push(("ACLSIM_SOC", soc.to_owned()));
            }
        }
        Ok(Self { variables, links })
    }

    /// Names and values.
    pub fn variables(&self) -> &[(&'static str, String)] {
        &self.variables
    }

    /// Keeps the links beyond this process. Returns the variables and these links.
    pub fn keep(self) -> (Vec<(&'static str, String)>, Vec<String>) {
        let made = self.links.into_iter().filter(LoaderSafePath::is_link);
        (self.variables, made.map(LoaderSafePath::keep).collect())
    }
}

fn current(variable: &str) -> String {
    let value = env::var_os(variable).unwrap_or_default();
    value.to_string_lossy().into_owned()
}

/// Puts `folder` first in a search path, without an empty entry, which would mean the working directory.
fn before(folder: &str, path: &str) -> String {
    let others = path.split(':').filter(|other| *other != folder);
    match path.is_empty() {
        true => folder.to_owned(),
        false => [folder]
            .into_iter()
            .chain(others)
            .collect::<Vec<_>>()
            .join(":"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_comes_before_the_installed_runtime() {
        assert_eq!(before("/sim/lib", ""), "/sim/lib");
        assert_eq!(before("/sim/lib", "/cann/lib64"), "/sim/lib:/cann/lib64");
        assert_eq!(
            before("/sim/lib", "/sim/lib:/cann/lib64"),
            "/sim/lib:/cann/lib64"
        );
    }

    #[test]
    fn options_and_preload_are_always_set() {
        let settings = Settings::parse("guard=rear").0;
        let environment = Environment::new(
            Path::new("/opt/libaclsan.so"),
            (None, true),
            &settings,
            None,
        )
        .unwrap();
        let names: Vec<_> = environment
            .variables()
            .iter()
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(names, ["LD_PRELOAD", "ACLSAN_OPTIONS"]);
        assert_eq!(environment.variables()[1].1, "guard=rear");
        assert!(environment.keep().1.is_empty());
    }
}
