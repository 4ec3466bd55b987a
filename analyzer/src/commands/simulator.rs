//! `aclsan simulator`: prints where the CPU-only AscendCL is, and with `--for cuda` where CUDA's driver without a GPU is.
//!
//! Build programs against it and run them where there is no NPU:
//!
//! ```text
//! cc -I"$(aclsan simulator --includedir)" app.c -L"$(aclsan simulator --libdir)" -lascendcl -o app
//! aclsan run --simulate -- ./app
//! ```
//!
//! `eval "$(aclsan simulator --env)"` makes it the CANN installation of a shell, without aclsan. Frameworks such as torch_npu find the
//! files that they look for in a folder of its shape; `aclsan run --simulate` sets the same variables, unless they are set.
//!
//! CMake projects and makefiles look for an installation. `aclsan simulator --home DIR` makes one of links:
//!
//! ```text
//! source "$(aclsan simulator --home ~/cann)"
//! cmake -B build && cmake --build build
//! ```
//!
//! CUDA's driver is experimental: programs that call the driver's interface are linked with its `libcuda.so`. aclsan does not watch them yet.
//!
//! A program that was built against a real CANN toolkit runs on it unchanged. Python programs find pyACL (`import acl`) under
//! `aclsan run --simulate`; started otherwise, with `PYTHONPATH="$(aclsan simulator --pythonpath)"`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::io::output;
use crate::run::simulator::{Simulator, Topology, VARIABLE};
use crate::run::toolkit::Toolkit;

/// Whose runtime is played.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Vendor {
    /// AscendCL
    Ascend,
    /// CUDA's driver, which aclsan does not watch yet
    Cuda,
}

/// What to print.
#[derive(clap::Args)]
pub struct Args {
    /// Print the folder of the libraries
    #[arg(long)]
    libdir: bool,
    /// Print the folder of the headers
    #[arg(long, conflicts_with = "libdir")]
    includedir: bool,
    /// Print the folder of the Python modules: pyACL
    #[arg(long, conflicts_with_all = ["libdir", "includedir"])]
    pythonpath: bool,
    /// Print the variables of a CANN installation, as commands for a shell
    #[arg(long, conflicts_with_all = ["libdir", "includedir", "pythonpath"])]
    env: bool,
    /// Make a CANN installation of links in this folder, new or empty; what was made before is refreshed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["libdir", "includedir", "pythonpath", "env"])]
    home: Option<PathBuf>,
    /// Use the libraries of CANN up to 8.3, of 8.1, of 8.5 to 9.1, or after 9.1
    #[arg(long, value_enum, default_value_t = Topology::One)]
    topology: Topology,
    /// Play the runtime of this vendor
    #[arg(long = "for", value_enum, default_value_t = Vendor::Ascend, conflicts_with_all = ["pythonpath", "env", "home", "topology"])]
    vendor: Vendor,
}

/// Prints one folder, the variables, or an overview.
///
/// # Errors
/// If the simulator is not found.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let simulator = Simulator::find()?;
    let (libraries, headers) = match args.vendor {
        Vendor::Ascend => (simulator.libraries(args.topology), simulator.headers()),
        Vendor::Cuda => (
            simulator.cuda().join("lib"),
            simulator.cuda().join("include"),
        ),
    };
    let mut text = String::new();
    if let Some(folder) = args.home {
        let toolkit = Toolkit::at(&folder, &simulator, args.topology)?;
        writeln!(text, "{}", toolkit.folder().join("set_env.sh").display())?;
        output::write(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    match () {
        () if args.libdir => writeln!(text, "{}", libraries.display())?,
        () if args.includedir => writeln!(text, "{}", headers.display())?,
        () if args.vendor == Vendor::Cuda => {
            writeln!(
                text,
                "CUDA's driver on the CPU, without a GPU. aclsan does not watch it yet."
            )?;
            writeln!(text)?;
            writeln!(text, "{:12} {}", "library", libraries.display())?;
            writeln!(text, "{:12} {}", "headers", headers.display())?;
        }
        () if args.env => {
            text = Toolkit::temporary(&simulator, args.topology)?.script();
        }
        () if args.pythonpath => writeln!(text, "{}", simulator.python().display())?,
        () => {
            writeln!(
                text,
                "A CPU-only AscendCL runtime: device memory that the host cannot touch, streams, events, faults on demand."
            )?;
            writeln!(text)?;
            for (what, folder) in [
                ("one library", simulator.libraries(Topology::One)),
                ("old", simulator.libraries(Topology::Old)),
                ("split", simulator.libraries(Topology::Split)),
                ("merged", simulator.libraries(Topology::Merged)),
                ("headers", simulator.headers()),
                ("python", simulator.python()),
            ] {
                writeln!(text, "{what:12} {}", folder.display())?;
            }
            writeln!(text)?;
            writeln!(
                text,
                "aclsan run --simulate -- ./app          runs a program on it"
            )?;
            writeln!(
                text,
                "aclsan run --simulate=split -- ./app    on the libraries of CANN 8.5 to 9.1 (old: 8.1, merged: later)"
            )?;
            writeln!(
                text,
                "--soc NAME, or ACLSIM_SOC=NAME          chooses the NPU that it plays"
            )?;
            writeln!(
                text,
                "{VARIABLE}=FOLDER                 takes it from elsewhere"
            )?;
        }
    }
    output::write(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
