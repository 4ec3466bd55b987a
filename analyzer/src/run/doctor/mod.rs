//! The checks of `aclsan doctor`: facts, and problems with their fix.

mod libraries;
mod machine;
mod pinned_page;
mod program;
mod runtime;

use std::fmt;
use std::path::Path;

use serde_json::{Value, json};

use crate::io::language::localized;
use crate::run::doctor::runtime::Runtime;
use crate::run::environment::Loading;
use crate::run::preload;
use crate::run::program::Program;
use crate::run::simulator::Simulator;

/// The subject of the checks.
pub enum Subject {
    /// A program.
    Program(Program),
    /// Any program that this loader loads in the current environment.
    Environment(String),
}

/// Facts by topic, in reading order, and problems.
#[derive(Default)]
pub struct Doctor {
    facts: Vec<(&'static str, Vec<String>)>,
    libraries: Vec<Value>,
    calls: Vec<Value>,
    /// Problems, one sentence each.
    pub problems: Vec<String>,
}

impl Doctor {
    /// Runs all checks.
    ///
    /// # Errors
    /// If the loader cannot be asked.
    pub fn new(subject: &Subject, loading: &Loading) -> anyhow::Result<Self> {
        let mut doctor = Self::default();
        let shim = doctor.check_shim(loading);
        doctor.check_simulator();
        let target = match subject {
            Subject::Program(program) => doctor.check_program(program, shim.as_ref()),
            // By its path: for the loader, /proc/self/exe would be the loader.
            Subject::Environment(loader) => Some((loader.clone(), std::env::current_exe()?)),
        };
        if let Some((loader, program)) = target {
            let simulated = match loading.simulate {
                Some(topology) => Some(Simulator::find()?.libraries(topology)),
                None => None,
            };
            let path = simulated.map(|folder| folder.display().to_string());
            let runtime = Runtime::of(Path::new(&loader), &program, path.as_deref())?;
            doctor.check_runtime(&runtime);
            doctor.check_libc(&runtime, shim.as_ref());
            if let Ok(shim) = preload::find(loading.preload.as_deref()) {
                doctor.check_pinned_page(&shim, &runtime, path.as_deref());
            }
        }
        doctor.check_machine();
        Ok(doctor)
    }

    /// Facts and problems that another check has found.
    pub fn of(topic: &'static str, facts: Vec<String>, problems: Vec<String>) -> Self {
        Self {
            facts: vec![(topic, facts)],
            problems,
            ..Self::default()
        }
    }

    fn fact(&mut self, topic: &'static str, fact: impl Into<String>) {
        match self.facts.iter_mut().find(|(known, _)| *known == topic) {
            Some((_, facts)) => facts.push(fact.into()),
            None => self.facts.push((topic, vec![fact.into()])),
        }
    }

    /// What a user can act on: problems, and what else to look at.
    pub fn brief(&self) -> String {
        let more = localized("`aclsan doctor -v` lists what was checked");
        format!("{}{more}\n", self.verdict())
    }

    fn verdict(&self) -> String {
        let count = self.problems.len();
        if count == 0 {
            return format!("{}\n", localized("Nothing stands in the way."));
        }
        let title = format!("{count} problem{}:", if count == 1 { "" } else { "s" });
        let problems = self.problems.iter().map(|problem| localized(problem));
        let lines: String = problems.map(|problem| format!("  - {problem}\n")).collect();
        format!("{}\n{lines}", localized(&title))
    }

    /// The result as JSON.
    pub fn to_json(&self) -> Value {
        let facts: serde_json::Map<_, _> = self
            .facts
            .iter()
            .map(|(topic, facts)| ((*topic).to_owned(), json!(facts)))
            .collect();
        json!({
            "schema_version": aclsan_render::SCHEMA_VERSION,
            "facts": facts,
            "libraries": self.libraries,
            "calls": self.calls,
            "problems": self.problems,
        })
    }
}

impl fmt::Display for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (topic, facts) in &self.facts {
            for (index, fact) in facts.iter().enumerate() {
                let topic = if index == 0 { topic } else { "" };
                writeln!(f, "{topic:10} {}", localized(fact))?;
            }
        }
        write!(f, "\n{}", self.verdict())
    }
}
