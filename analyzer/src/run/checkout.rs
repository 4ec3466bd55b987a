//! The source checkout that this command was built in, if it still is in that Cargo target folder.
//!
//! `cargo run` builds only the command: the shim is a library that nothing links, and the simulator belongs to the tests. `demo` builds
//! them if they are missing, so that one command on a fresh checkout shows something.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::io::notice;
use crate::run::preload::command_folder;

/// A checkout, and the target folder and profile of this command.
#[derive(PartialEq, Eq, Debug)]
pub struct Checkout {
    root: PathBuf,
    target: PathBuf,
    profile: String,
}

impl Checkout {
    /// Finds the checkout of this command.
    pub fn find() -> Option<Self> {
        let folder = command_folder();
        // `cargo run` passes the package's path; a target folder may be elsewhere.
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let roots = package.iter().flat_map(|package| package.ancestors());
        let root = roots
            .chain(folder.ancestors())
            .find(|folder| is_ours(folder))?
            .to_owned();
        let profile = match folder.file_name()?.to_str()? {
            "debug" => "dev".to_owned(),
            other => other.to_owned(),
        };
        Some(Self {
            root,
            target: folder.parent()?.to_owned(),
            profile,
        })
    }

    /// Builds the shim and the simulator in this command's profile.
    ///
    /// # Errors
    /// If Cargo is missing or fails.
    pub fn build(&self) -> anyhow::Result<()> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        command
            .args(["build", "--profile", &self.profile])
            .args([
                "-p",
                "aclsan-shim",
                "-p",
                "aclsan-free",
                "-p",
                "aclsan-tests",
            ])
            .arg("--target-dir")
            .arg(&self.target)
            .current_dir(&self.root);
        notice::say("the shim and the simulator are not built yet; `cargo build` does it once");
        let status = command
            .status()
            .with_context(|| format!("cannot run `{}`", cargo.display()))?;
        if !status.success() {
            bail!("`cargo build` failed ({status}); what it says above has to be put right first");
        }
        Ok(())
    }
}

fn is_ours(folder: &Path) -> bool {
    folder.join("shim/lib.rs").is_file() && folder.join("tests/programs/demo/demo.c").is_file()
}
