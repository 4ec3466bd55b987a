//! The files that `check` writes for continuous integration.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use aclsan_render::Report;
use aclsan_render::ci::{Sources, github, gitlab, junit, sarif};
use anyhow::{Context, bail};

use crate::io::output;
use crate::logs::atomic_file;
use crate::policy::baseline::Baseline;
use crate::policy::verdict::Verdict;

/// Which formats, and where to.
#[derive(clap::Args)]
pub struct Formats {
    /// Write SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a GitLab code quality report
    #[arg(long, value_name = "FILE")]
    gitlab: Option<PathBuf>,
    /// Annotate lines on GitHub, and write the step's summary; automatic in GitHub's own jobs
    #[arg(long)]
    github: bool,
    /// Folder of the sources, for paths in these formats
    #[arg(long, value_name = "DIR")]
    source_root: Option<PathBuf>,
}

impl Formats {
    /// Checks that each format has a file of its own.
    ///
    /// # Errors
    /// If one would overwrite another.
    pub fn keep_apart(&self) -> anyhow::Result<()> {
        let files = [&self.sarif, &self.junit, &self.gitlab];
        let mut named = Vec::new();
        for file in files.into_iter().flatten() {
            let place = place_of(file);
            if named.contains(&place) && place != Path::new("/dev/null") {
                bail!(
                    "`{}` is named for two formats: give each a file of its own",
                    file.display()
                )
            }
            named.push(place);
        }
        Ok(())
    }

    /// Writes the requested files. GitHub's runner also reads annotations from standard error, which is used if standard output is taken.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(
        &self,
        report: &Report,
        verdict: &Verdict,
        baseline: &Baseline,
        is_output_taken: bool,
    ) -> anyhow::Result<()> {
        let sources = self.sources()?;
        let is_known = |finding: &_| baseline.accepts(finding);
        if let Some(path) = &self.sarif {
            let document = sarif::document(report, &sources, is_known, &verdict.apart);
            save(path, format!("{document:#}\n").as_bytes())?;
        }
        if let Some(path) = &self.gitlab {
            save(
                path,
                format!("{:#}\n", gitlab::document(report, &sources)).as_bytes(),
            )?;
        }
        if let Some(path) = &self.junit {
            let fails = |finding: &_| fails(verdict, finding);
            let document = junit::document(report, &sources, fails, &verdict.apart)
                .with_context(|| format!("cannot make `{}`", path.display()))?;
            save(path, document.as_bytes())?;
        }
        if self.github || env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            let lines = github::annotations(report, &sources, is_known, &verdict.apart);
            match is_output_taken {
                true => std::io::stderr().write_all(lines.as_bytes()).unwrap_or(()),
                false => output::write(lines.as_bytes())?,
            }
            summarize(&github::markdown(report, Some(&verdict.reasons), &sources))?;
        }
        Ok(())
    }

    fn sources(&self) -> anyhow::Result<Sources> {
        let of_job = || {
            ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"]
                .into_iter()
                .find_map(env::var_os)
        };
        match (&self.source_root, of_job()) {
            (None, Some(root)) if !root.is_empty() => sources(Some(Path::new(&root))),
            (root, _) => sources(root.as_deref()),
        }
    }
}

/// The sources below `root`, or below the current folder. Compilers record the path by which a checkout was entered, and some resolve
/// symbolic links.
///
/// # Errors
/// If the current folder is needed and does not exist.
pub fn sources(root: Option<&Path>) -> anyhow::Result<Sources> {
    let root = match root {
        Some(root) => std::path::absolute(root).unwrap_or_else(|_| root.to_owned()),
        None => env::current_dir().context("the current folder is gone: give `--source-root`")?,
    };
    let real = root.canonicalize().unwrap_or_else(|_| root.clone());
    Ok(Sources::below(root).or_below(real))
}

fn fails(verdict: &Verdict, finding: &aclsan_render::model::Finding) -> bool {
    verdict.failing.contains(&finding.fingerprint)
}

/// Appends `page` to the summary of GitHub's step, if there is one.
///
/// # Errors
/// When its file cannot be written.
pub fn summarize(page: &str) -> anyhow::Result<()> {
    match env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
        Some(path) => append(Path::new(&path), page),
        None => Ok(()),
    }
}

/// The canonical path of a file, whether it exists yet or not.
fn place_of(file: &Path) -> PathBuf {
    if let Ok(place) = file.canonicalize() {
        return place;
    }
    let folder = file.parent().unwrap_or(file);
    let folder = Path::new(".").join(folder).canonicalize();
    match (folder, file.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    atomic_file::write(path, bytes)
}

/// Appends, since other tools may have written to the step's file.
fn append(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write the step's summary `{}`", path.display()))
}
