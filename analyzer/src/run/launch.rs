//! One run of a program under the shim, from the checks before to the report after: shared by `run` and `demo`.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use aclsan_rules::evidence::death::signal_name;
use anyhow::Context;

use crate::io::language::localized;
use crate::io::notice;
use crate::logs::run_id;
use crate::run::after::{self, AfterRun};
use crate::run::child;
use crate::run::environment::{Environment, Loading};
use crate::run::log_folder::{self, TemporaryFolder};
use crate::run::log_path;
use crate::run::preload;
use crate::run::program::{Program, elf::Elf};
use crate::run::run_logs::{self, RunLogs};
use crate::run::settings::Settings;
use crate::run::wait_status;

/// What becomes of the logs of a run, and of its report.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Whether logs stay; otherwise they are removed after the report.
    pub keeps_log: bool,
    /// Whether a report follows, whose summary replaces those of the processes.
    pub has_report: bool,
}

/// A prepared run: variables, log template, run id.
pub struct Launch {
    /// Where logs go that nobody keeps.
    temporary: Option<TemporaryFolder>,
    /// Whether the user chose where logs go.
    is_place_chosen: bool,
    environment: Option<Environment>,
    template: String,
    logs: RunLogs,
    program: String,
    has_obstacles: bool,
}

impl Launch {
    /// Finds everything that the run needs, and warns about what will not work.
    ///
    /// # Errors
    /// If the shim or the simulator is missing, or logs cannot be written.
    pub fn prepare(
        program: &Program,
        loading: &Loading,
        mut settings: Settings,
        plan: Plan,
    ) -> anyhow::Result<Self> {
        let shim = preload::find(loading.preload.as_deref())?;
        let shim_elf = Elf::read(&shim)?
            .with_context(|| format!("`{}` is not a shared library", shim.display()))?;
        tracing::debug!("the shim is `{}`", shim.display());
        let name = program.path.display().to_string();
        tracing::debug!("the program is `{name}`");
        let obstacles = program.obstacles(&shim_elf);
        for obstacle in &obstacles {
            notice::say(&format!("nothing of `{name}` will be seen: {obstacle}"));
        }
        if loading.simulate.is_some() {
            warn_of_rpath(program);
        }
        let temporary = match plan.keeps_log {
            true => None,
            false => Some(TemporaryFolder::create()?),
        };
        if let Some(folder) = &temporary {
            let place = folder.path().display().to_string().replace('%', "%%");
            settings.set("log_path", log_path::template(&format!("{place}/")));
        }
        let is_place_chosen = settings.get("log_path").is_some();
        let template = log_folder::prepare(settings.get("log_path"))?;
        tracing::debug!("logs go to `{template}`");
        let logs = RunLogs::begin(&template);
        settings.set("log_path", template.as_str());
        if plan.has_report {
            settings.set("summary", "0");
        }
        settings.set(run_id::KEY, logs.id.as_str());
        if let Some(list) = &logs.list {
            settings.set(run_logs::LIST, list.as_str());
        }
        let environment = Environment::new(&shim, loading.simulator(), &settings, program.asan())?;
        let is_harmful = obstacles.iter().any(|obstacle| obstacle.forbids_preload());
        Ok(Self {
            temporary,
            is_place_chosen,
            environment: (!is_harmful).then_some(environment),
            template,
            logs,
            program: name,
            has_obstacles: !obstacles.is_empty(),
        })
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, command: &mut Command) -> std::io::Result<child::Ended> {
        let variables = self.environment.iter().flat_map(Environment::variables);
        for (name, value) in variables {
            command.env(name, value);
        }
        child::run(command)
    }

    /// Reports on the run's logs. The program's exit code counts whatever happens here, so failures are only printed.
    pub fn conclude(&self, how: &AfterRun, ended: &child::Ended) -> after::RunOutcome {
        let mut found = self.logs.find(&self.template);
        let gone = self.logs.gone(&mut found);
        let is_told = wait_status::record(&found, ended) && how.is_on_stderr();
        if let Some(signal) = ended.status.signal().filter(|_| !is_told && !how.is_quiet) {
            let name = signal_name(signal).unwrap_or("no name");
            notice::say(&localized(&format!(
                "the program was ended by signal {signal} ({name})"
            )));
        }
        for log in &gone {
            notice::say(&localized(&format!(
                "the log of process {}, `{}`, is gone or cannot be read: what that process called is not known",
                log.pid,
                log.path.display()
            )));
        }
        let gone = gone.len() as u64;
        let is_kept = self.temporary.is_none();
        for log in found.iter().filter(|log| is_kept && log.is_running()) {
            notice::say(&format!(
                "process {} still runs; `aclsan report {}` tells the rest later",
                log.pid(),
                log.path.display()
            ));
        }
        if found.is_empty() {
            if gone > 0 {
                return after::RunOutcome {
                    gone,
                    ..after::RunOutcome::default()
                };
            }
            if let Some(folder) = log_folder::lost(&self.template) {
                notice::say(&format!(
                    "no log of this run was found, and none can be written to `{}`: what the program called is not known; -o PATH chooses another place",
                    folder.display()
                ));
            } else if !self.has_obstacles && !how.is_quiet {
                notice::say(&format!(
                    "no AscendCL call was seen, so there is nothing to report; `aclsan doctor -- {}` tells whether one could be",
                    self.program
                ));
            }
            return after::RunOutcome::default();
        }
        let files: Vec<_> = found.into_iter().map(|log| log.path).collect();
        let note = self.log_note(&files);
        let tally = how.report(&files, &note).unwrap_or_else(|error| {
            notice::fail(&error);
            after::RunOutcome::default()
        });
        after::RunOutcome { gone, ..tally }
    }

    /// Where the logs are, if the user did not choose the place, and how to be without them.
    fn log_note(&self, logs: &[PathBuf]) -> String {
        let place = |path: &Path| {
            let here = std::env::current_dir().unwrap_or_default();
            let below = path.strip_prefix(&here).unwrap_or(path);
            below.display().to_string()
        };
        let where_to = match logs {
            _ if self.is_place_chosen => return String::new(),
            [log] => format!("the log is `{}`", place(log)),
            logs => format!("{} logs are in this folder", logs.len()),
        };
        format!("; {where_to} (--no-log: none)")
    }
}

fn warn_of_rpath(program: &Program) {
    let Some(elf) = &program.elf else { return };
    if let (Some(rpath), None) = (&elf.rpath, &elf.runpath) {
        notice::say(&format!(
            "`{}` looks for its libraries in `{rpath}` first (DT_RPATH), before the simulator; if a libascendcl lies there, link with -Wl,--enable-new-dtags",
            program.loaded.display()
        ));
    }
}
