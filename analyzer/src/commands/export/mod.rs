//! `aclsan export --format F LOG… -o FILE`: converts a log for other viewers.
//!
//! | format | for |
//! |---|---|
//! | `json` | scripts: the whole report, as `aclsan report --json` |
//! | `jsonl` | scripts: events as JSON lines, as `aclsan dump` |
//! | `folded` | `flamegraph.pl`, speedscope, `inferno-flamegraph`: one line per stack, followed by its bytes |
//! | `flamegraph` | any browser: an SVG file |
//! | `speedscope` | speedscope.app and its editor extension |
//! | `pprof` | `go tool pprof` and its like |
//! | `heaptrack` | `heaptrack_gui`, `heaptrack_print` |
//! | `massif` | `ms_print`, massif-visualizer |
//! | `chrome-trace` | Perfetto, `chrome://tracing` |
//! | `torch-snapshot` | PyTorch's memory viewer, MindStudio Insight: a pickle |
//! | `memscope-db` | MindStudio Insight: `-o` names a file such as `memscope_dump_1.db` |
//! | `memscope-csv` | msMemScope's own tools |
//! | `valgrind-xml` | Jenkins, CLion, Qt Creator |
//! | `parquet` | DuckDB, Spark, Trino, and `aclsan fleet`: a dataset of many processes, in the folder that `-o` names |
//! | `sarif`, `junit`, `gitlab`, `github` | continuous integration; `aclsan check` writes them beside its verdict |
//! | `prometheus` | the node exporter's textfile collector |
//!
//! `--of` chooses the bytes of `folded`, `flamegraph` and `speedscope`: `live` at the end (also what leaked and the device's last reset
//! reclaimed), `leaked`, `allocated` in all, or `peak`: live when the process had the most device memory. `pprof` has all of them, as
//! `-sample_index=inuse_space`, `leaked_space`, `alloc_space` and `peak_space`, and blocks as `inuse_objects` and so on. Formats that draw block by block take
//! one log at a time. `parquet` adds the processes to a dataset, from any number of machines; `--run`, `--model` and `--model-version` say what
//! logs do not, and `--snapshot-blocks` also writes what was live at each snapshot of the program. `aclsan report`, `leaks`, `check` and `diff` read a dataset like a folder of logs. Without `-o`, or with `-o -`, the file goes to standard output. If there is nothing to export, it says so and exits with 3.
//!
//! ```text
//! aclsan export --format parquet --run job-7 logs/ -o dataset/
//! aclsan export --format flamegraph --of peak LOG -o peak.svg
//! aclsan export --format heaptrack LOG -o run.heaptrack && heaptrack_gui run.heaptrack
//! ```

pub mod bytes;
mod database;

use std::path::PathBuf;
use std::process::ExitCode;

use aclsan_render::ci::{github, gitlab, junit, sarif};
use aclsan_render::model::{Finding, History};
use aclsan_render::viewers::{
    chrome_trace, heaptrack, massif, memscope, pprof, prometheus, speedscope, torch_snapshot,
    valgrind,
};
use aclsan_render::{Report, flamegraph, folded, json};
use aclsan_rules::evidence::rule::Severity;
use anyhow::{Context, bail};
use serde_json::Value;

use crate::io::notice;
use crate::io::output;
use crate::logs::atomic_file;
use crate::policy::ci_outputs;
use crate::report::dataset::identity::Labels;
use crate::report::dataset::write::{self, ExportOptions};
use crate::report::dump;
use crate::report::nothing::NothingToExport;
use crate::report::pipeline::{Logs, NOTHING_OBSERVED};
use bytes::Of;

/// What to write, from which logs, and where to.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    logs: Logs,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Format,
    /// Which bytes `folded`, `flamegraph` and `speedscope` show [default: live]
    #[arg(long, value_enum, value_name = "WHICH")]
    of: Option<Of>,
    /// Where to; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The run that the processes belong to, in a dataset [default: the one of `aclsan run`]
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// The model that they ran, in a dataset
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Its version, in a dataset
    #[arg(long, value_name = "VERSION")]
    model_version: Option<String>,
    /// Also the blocks that were live at each snapshot, in a dataset
    #[arg(long)]
    snapshot_blocks: bool,
    /// Folder of the sources, for paths in formats of continuous integration
    #[arg(long, value_name = "DIR")]
    source_root: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The whole report
    Json,
    /// Events as JSON lines
    Jsonl,
    /// A line for each stack, for flame graph tools and speedscope
    Folded,
    /// An SVG file, for a browser
    Flamegraph,
    /// For speedscope.app
    Speedscope,
    /// For `go tool pprof`
    Pprof,
    /// For `heaptrack_gui` and `heaptrack_print`
    Heaptrack,
    /// For `ms_print` and massif-visualizer
    Massif,
    /// For Perfetto and `chrome://tracing`
    ChromeTrace,
    /// For PyTorch's memory viewer and MindStudio Insight
    TorchSnapshot,
    /// A dataset of many processes, for engines
    Parquet,
    /// For MindStudio Insight
    MemscopeDb,
    /// For msMemScope's own tools
    MemscopeCsv,
    /// For Jenkins, CLion and Qt Creator
    ValgrindXml,
    /// For code scanning
    Sarif,
    /// For Jenkins, GitLab and most others
    Junit,
    /// GitLab's code quality report
    Gitlab,
    /// GitHub's annotations, and a table in the step's summary
    Github,
    /// For the node exporter's textfile collector
    Prometheus,
}

/// Writes the file.
///
/// # Errors
/// If a log cannot be read, there is nothing to draw, or the file cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let has_choice = matches!(
        args.format,
        Format::Folded | Format::Flamegraph | Format::Speedscope
    );
    if args.of.is_some() && !has_choice {
        bail!(
            "`--of` is for `folded`, `flamegraph` and `speedscope`: other formats have no choice of bytes"
        );
    }
    let labels = Labels {
        run: args.run.clone(),
        model: args.model.clone(),
        model_version: args.model_version.clone(),
    };
    let options = ExportOptions {
        snapshot_blocks: args.snapshot_blocks,
        labels,
    };
    if args.format == Format::Parquet {
        if args.output.as_os_str() == "-" {
            bail!("a dataset is a folder: name it with `-o dataset`");
        }
        let (files, symbols) = (args.logs.files()?, args.logs.symbols()?);
        let unreadable = write::write(&files, symbols, &args.output, &options)?;
        for sentence in &unreadable {
            notice::say(sentence);
        }
        return Ok(match unreadable.is_empty() {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(2),
        });
    }
    if options != ExportOptions::default() {
        bail!(
            "`--run`, `--model`, `--model-version` and `--snapshot-blocks` are for `parquet`: other formats have no place for them"
        );
    }
    if args.format == Format::MemscopeDb {
        if args.output.as_os_str() == "-" {
            bail!("a database is a file: name it with `-o memscope_dump_1.db`");
        }
        let rows = memscope::rows(&drawn(&args.logs)?);
        database::write(&rows, &args.output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = document(&args)?;
    match args.output.as_os_str() == "-" {
        true => output::write(&file)?,
        false => atomic_file::write(&args.output, &file)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn document(args: &Args) -> anyhow::Result<Vec<u8>> {
    let (logs, of) = (&args.logs, args.of.unwrap_or(Of::Live));
    let sources = || ci_outputs::sources(args.source_root.as_deref());
    Ok(match args.format {
        Format::Json => {
            let mut text = Vec::new();
            json::write(&whole(logs)?, json::Parts::default(), &mut text)?;
            text
        }
        Format::Jsonl => lines(logs)?,
        Format::Folded => joined(&folded::lines(&bytes::some_weights(logs, of)?)),
        Format::Flamegraph => graph(&folded::lines(&bytes::some_weights(logs, of)?), of)?,
        Format::Speedscope => pretty(&speedscope::document(
            &bytes::some_weights(logs, of)?,
            of.title(),
        )),
        Format::Pprof => {
            let (samples, began) = bytes::samples(logs)?;
            pprof::document(&samples, began)
        }
        Format::Heaptrack => heaptrack::document(&drawn(logs)?).into(),
        Format::Massif => massif::document(&drawn(logs)?).into(),
        Format::ChromeTrace => pretty(&chrome_trace::document(&whole(logs)?)),
        Format::TorchSnapshot => torch_snapshot::document(&drawn(logs)?),
        Format::MemscopeCsv | Format::MemscopeDb | Format::Parquet => {
            memscope::csv(&memscope::rows(&drawn(logs)?)).into()
        }
        Format::ValgrindXml => valgrind::document(&whole(logs)?)?,
        Format::Sarif => pretty(&sarif::document(&whole(logs)?, &sources()?, |_| false, &[])),
        Format::Junit => {
            let fails = |finding: &Finding| finding.severity == Severity::Error;
            junit::document(&whole(logs)?, &sources()?, fails, &[])?.into()
        }
        Format::Gitlab => pretty(&gitlab::document(&whole(logs)?, &sources()?)),
        Format::Github => {
            let (report, sources) = (whole(logs)?, sources()?);
            ci_outputs::summarize(&github::markdown(&report, None, &sources))?;
            github::annotations(&report, &sources, |_| false, &[]).into()
        }
        Format::Prometheus => prometheus::document(&whole(logs)?).into(),
    })
}

fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into()
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| line.bytes().chain([b'\n']))
        .collect()
}

fn graph(lines: &[String], of: Of) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    flamegraph::render(lines, of.title(), &mut file).context("cannot draw the flame graph")?;
    Ok(file)
}

/// The history of the only log, which must have blocks.
fn drawn(logs: &Logs) -> anyhow::Result<History> {
    let history = logs.history()?;
    match history.changes.is_empty() {
        true => Err(NothingToExport::new("no block was allocated").into()),
        false => Ok(history),
    }
}

/// The report on all logs; all must be readable, and one must have a call.
fn whole(logs: &Logs) -> anyhow::Result<Report> {
    let reading = logs.read()?;
    if !reading.unreadable.is_empty() {
        bail!("{}", reading.unreadable.join("\naclsan: "));
    }
    if let Some(why) = reading.unobserved() {
        return Err(NothingToExport::new(why).into());
    }
    Ok(reading.report)
}

fn lines(logs: &Logs) -> anyhow::Result<Vec<u8>> {
    let log = logs.one()?;
    if log.events().next().is_none() {
        return Err(NothingToExport::new(NOTHING_OBSERVED).into());
    }
    let definitions = dump::definitions(&log);
    let events = log.events().map(|timed| dump::line(&log, &timed));
    let all = definitions.into_iter().chain(events);
    Ok(all
        .flat_map(|value| format!("{value}\n").into_bytes())
        .collect())
}
