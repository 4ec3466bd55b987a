//! `aclsan report LOG…`: shows everything that the logs contain.
//!
//! Findings, leaks by allocation site, memory by family, fragmentation, and what the evidence lacks. Several logs, a folder or a pattern give
//! one report: processes of one run that did the same are merged.
//!
//! **Many processes** are read on all CPUs, a few at a time (`--progress` shows how far), and compared, in JSON as `ranks`: least, median and
//! most of peak, memory at the end, leaked bytes and findings; the processes that stand out (modified z-score beyond 3.5, at least five
//! processes, and a difference of a twentieth and a mebibyte); devices by host; each allocation site with how many processes have it, and which
//! few do, or do not. More than 16 processes are reported in less detail; `--limit 0` shows all.
//!
//! ```text
//! aclsan report aclsan-host-4711.aclsan
//! aclsan report --json out/ | jq '.findings[].rule'
//! aclsan report --html report.html out/
//! ```
//!
//! With `--html` the report is one page for a browser instead: timeline, address map, flame graph, findings and leaks, in English and Chinese:
//! in the browser's language, or in that of `--lang`. It needs no network, and its tables no JavaScript. `--max-html-size` limits its size; a
//! banner says what was left out: of large logs, small blocks that were released, while totals of the whole run stay exact. An interrupted
//! command leaves no partial file.
//!
//! `--follow` prints what is new while programs run: processes, findings, ends. When all have ended, the report follows. Logs of a folder may
//! begin later. Leaks are judged at the end: of a program that still runs, no report says more than what is live now.
//!
//! **Stacks** show the program's own functions, demangled, a lambda by where it is, names at most 200 columns wide, and count in place what they
//! leave out: start-up code, internals of the C++ and Rust libraries, and where Python frames replace them, the interpreter, libffi, pybind11 and
//! pyACL's module. `--full-stacks` shows every frame; JSON always has them all. Source lines appear below the first frame if their file is not newer
//! than the binary with the recorded build-id, or for Python than the start of the process; `--no-source` omits them. On a terminal, files are links
//! (`--hyperlinks`, `FORCE_HYPERLINK`). Functions that `wrappers` in `[report]` of `./aclsan.toml` names, or the option `skip_frames`, are the
//! program's own allocation functions: sites, leaks, budgets, flame graphs and fingerprints go by their callers.
//!
//! Exit codes: 0 clean, 1 findings at or above `--fail-on`, 2 usage or an unreadable log, 3 no AscendCL call observed.

use std::path::PathBuf;
use std::process::ExitCode;

use aclsan_render::text::WHOLE;
use aclsan_render::{html, json};

use crate::io::language::explicit_locale;
use crate::io::notice;
use crate::io::output;
use crate::logs::atomic_file;
use crate::policy::quantity;
use crate::report::pipeline::Input;
use crate::watch::{KEEP, Settings, Watch, follow};

/// Which logs, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Write an HTML page to this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
    /// Most bytes of that page, at least 256K
    #[arg(long, value_name = "BYTES", value_parser = page_size, default_value = "8MiB", requires = "html")]
    max_html_size: u64,
    /// Print what is new until all programs have ended, then the report
    #[arg(long, conflicts_with_all = ["html", "json"])]
    follow: bool,
}

/// Parts of a report that a dataset lacks.
const LESS: &str = "a dataset has no transfers, refused allocations one by one, pinned holes or insides of pools: the log has them";

fn page_size(text: &str) -> Result<u64, String> {
    let bytes = quantity::bytes(text)?;
    match bytes >= html::LEAST_BYTES {
        true => Ok(bytes),
        false => Err(format!(
            "{bytes} bytes are too few for a page: it takes {}",
            html::LEAST_BYTES
        )),
    }
}

/// Writes the report.
///
/// # Errors
/// If no log can be read or standard output cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.follow {
        let logs = &args.input.logs;
        let settings = Settings {
            suppressions: args.input.suppressing.read()?,
            keep: KEEP,
        };
        let watch = Watch::new(logs.arguments().to_vec(), logs.symbols()?, settings)?;
        if !follow(watch, |line| output::write(line.as_bytes()))? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let reading = match args.html {
        Some(_) => args.input.read_drawn(html::MAX_BLOCKS)?,
        None => args.input.read()?,
    };
    let reading = reading.kept();
    if reading.is_of_tables {
        notice::say(LESS);
    }
    match &args.html {
        Some(file) => {
            let (report, lives) = (&reading.report, &reading.lives);
            let page = html::document(report, lives, args.max_html_size, explicit_locale());
            match file.as_os_str() == "-" {
                true => output::write(page.as_bytes())?,
                false => atomic_file::write(file, page.as_bytes())?,
            }
        }
        None if args.input.json => output::write_report(&reading.report, json::Parts::default())?,
        None => output::write_text(&reading.report, &WHOLE, args.input.limit)?,
    }
    Ok(args.input.conclude(&reading))
}
