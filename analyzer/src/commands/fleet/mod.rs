//! `aclsan fleet QUESTION DATASET`: asks a dataset of many processes, with DuckDB.
//!
//! `aclsan export --format parquet` writes the dataset, on as many machines as there are. Without arguments the questions are listed, and
//! `aclsan fleet QUESTION` alone prints the question's page. The command `duckdb` runs them if it is in `PATH`, else the module `duckdb` of
//! `python3` (`pip install duckdb`). A dataset that is not a folder, such as `s3://bucket/dataset`, is the engine's to find.
//!
//! `--sql` prints the statement alone, which Spark and Trino run as it is, where the tables have their names: `processes`, `sites` and so on.
//! It exits with 0 whatever the answer is.
//!
//! ```text
//! aclsan fleet outlier-ranks dataset/
//! aclsan fleet top-wasters --html wasters.html dataset/
//! aclsan fleet died --sql
//! ```

mod engine;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aclsan_dataset::place::is_dataset;
use aclsan_fleet::{QUESTIONS, Question};
use aclsan_render::answers::Answer;
use aclsan_render::text::Locale;
use anyhow::bail;

use crate::io::language::locale;
use crate::io::output;
use crate::io::suggest;
use crate::logs::atomic_file;

/// Which question, of which dataset.
#[derive(clap::Args)]
pub struct Args {
    /// The question; without one, they are listed
    #[arg(value_name = "QUESTION")]
    question: Option<String>,
    /// The dataset; without one, the question's page is printed
    #[arg(value_name = "DATASET")]
    dataset: Option<PathBuf>,
    /// Print the question's statement, for other engines
    #[arg(long, conflicts_with_all = ["dataset", "json", "html"], requires = "question")]
    sql: bool,
    /// Write JSON
    #[arg(long, requires = "dataset")]
    json: bool,
    /// Write an HTML page to this file; `-` is standard output
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "json",
        requires = "dataset"
    )]
    html: Option<PathBuf>,
}

/// Writes the answer.
///
/// # Errors
/// If there is no such question or dataset, no engine, or the engine fails.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.question else {
        let lines = QUESTIONS.iter().map(|question| {
            let page = page(question);
            let first = page.lines().next().unwrap_or_default();
            format!("{}: {first}\n", question.name)
        });
        output::write(lines.collect::<String>().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    let question = find(name)?;
    let Some(dataset) = &args.dataset else {
        let text = match args.sql {
            true => question.sql(),
            false => page(&question),
        };
        output::write(format!("{}\n", text.trim_end()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    // Object stores are the engine's business.
    let is_elsewhere = dataset.to_string_lossy().contains("://");
    if !is_elsewhere && !is_dataset(dataset) {
        bail!(
            "`{}` is no dataset: it has no folder `processes`; `aclsan export --format parquet -o DATASET LOG` writes one",
            dataset.display()
        );
    }
    let answer = engine::ask(&question, dataset)?;
    write(&args, &question, &answer)?;
    Ok(ExitCode::SUCCESS)
}

fn write(args: &Args, question: &Question, answer: &Answer) -> anyhow::Result<()> {
    match &args.html {
        Some(file) => {
            let html = answer.html(&page(question));
            match file.as_os_str() == "-" {
                true => output::write(html.as_bytes()),
                false => atomic_file::write(Path::new(file), html.as_bytes()),
            }
        }
        None if args.json => output::write_json(&answer.json()),
        None => output::write(answer.text().as_bytes()),
    }
}

fn page(question: &Question) -> String {
    match locale() {
        Locale::English => question.page(),
        Locale::Chinese => question.chinese().to_owned(),
    }
}

fn find(name: &str) -> anyhow::Result<Question> {
    if let Some(question) = QUESTIONS.iter().find(|question| question.name == name) {
        return Ok(*question);
    }
    let names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
    match suggest::nearest(name, names.into_iter()).first() {
        Some(near) => {
            bail!("unknown question `{name}`: did you mean `{near}`? `aclsan fleet` lists them")
        }
        None => bail!("unknown question `{name}`; `aclsan fleet` lists them"),
    }
}
