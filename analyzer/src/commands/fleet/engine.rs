//! DuckDB, as its command or as a module of Python: whichever is there.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use aclsan_fleet::Question;
use aclsan_render::answers::Answer;
use anyhow::{Context, bail};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// Reads statements, the last of which is the question, from standard input and writes the answer's rows as JSON objects, with columns in
/// their order.
const PYTHON: &str = r#"
import json, sys
import duckdb
*views, question = sys.stdin.read().split("\0")
engine = duckdb.connect()
for view in views:
    engine.execute(view)
answer = engine.execute(question)
names = [column[0] for column in answer.description]
print(json.dumps({"columns": names, "rows": [dict(zip(names, row)) for row in answer.fetchall()]}))
"#;

/// Asks the first engine that is there.
///
/// # Errors
/// If none is, or it fails.
pub fn ask(question: &Question, dataset: &Path) -> anyhow::Result<Answer> {
    let views: Vec<String> = question
        .tables()
        .iter()
        .map(|table| view(table, dataset))
        .collect();
    let mut answer = match of_command(&views, &question.sql())? {
        Some(answer) => answer,
        None => of_python(&views, &question.sql())?,
    };
    question.name.clone_into(&mut answer.question);
    Ok(answer)
}

fn view(table: &str, dataset: &Path) -> String {
    let files = dataset.join(table).join("**/*.parquet");
    let files = files.to_string_lossy().replace('\'', "''");
    format!(
        "CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', hive_partitioning=false, union_by_name=true)"
    )
}

/// The command's answer; `None` if it is not there.
fn of_command(views: &[String], sql: &str) -> anyhow::Result<Option<Answer>> {
    // Its JSON names no columns if there are no rows.
    let describe = format!("DESCRIBE {sql}");
    let statements = [views, &[describe, sql.to_owned()]].concat();
    let script = statements.join(";\n") + ";\n";
    let mut command = Command::new("duckdb");
    command.args(["-batch", "-bail", "-json", ":memory:"]);
    let Some(output) = run(command, &script)? else {
        return Ok(None);
    };
    // Two arrays, one after the other; the second may be missing or hold an empty object.
    let mut arrays = serde_json::Deserializer::from_slice(&output).into_iter::<Vec<Ordered>>();
    let described = arrays.next().transpose();
    let described = described.context("cannot read what `duckdb` printed")?;
    let rows = arrays.next().transpose();
    let rows = rows.context("cannot read what `duckdb` printed")?;
    let described = described.unwrap_or_default();
    let member = |column: &Ordered, member: &str| {
        let found = column.0.iter().find(|(key, _)| key == member);
        found
            .and_then(|(_, value)| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let names = described.iter().map(|column| member(column, "column_name"));
    let mut answer = table(names.collect(), rows.unwrap_or_default());
    let types = described.iter().map(|column| member(column, "column_type"));
    let types: Vec<String> = types.collect();
    for row in &mut answer.rows {
        row.iter_mut()
            .zip(&types)
            .for_each(|(value, of)| unquote(value, of));
    }
    Ok(Some(answer))
}

/// Makes a number of what the command quotes: integers of 128 bits and decimals.
fn unquote(value: &mut Value, column_type: &str) {
    let is_quoted = ["HUGEINT", "UHUGEINT", "DECIMAL"]
        .iter()
        .any(|kind| column_type.starts_with(kind));
    if let (true, Some(text)) = (is_quoted, value.as_str())
        && let Ok(number) = text.parse::<serde_json::Number>()
    {
        *value = Value::Number(number);
    }
}

fn of_python(views: &[String], sql: &str) -> anyhow::Result<Answer> {
    let mut check = Command::new("python3");
    check.args(["-c", "import duckdb"]);
    let has_module = run(check, "").ok().flatten().is_some();
    if !has_module {
        bail!(
            "no DuckDB is here: `pip install duckdb` for `python3`, or put the command `duckdb` in `PATH`; `aclsan fleet QUESTION --sql` prints the statement for another engine"
        );
    }
    let mut command = Command::new("python3");
    command.args(["-c", PYTHON]);
    let script = [views, &[sql.to_owned()]].concat().join("\0");
    let output = run(command, &script)?.unwrap_or_default();
    #[derive(serde::Deserialize)]
    struct Printed {
        columns: Vec<String>,
        rows: Vec<Ordered>,
    }
    let printed: Printed =
        serde_json::from_slice(&output).context("cannot read what `duckdb` printed")?;
    Ok(table(printed.columns, printed.rows))
}

fn table(columns: Vec<String>, rows: Vec<Ordered>) -> Answer {
    let rows = rows.into_iter().filter(|row| !row.0.is_empty());
    Answer {
        question: String::new(),
        columns,
        rows: rows
            .map(|row| row.0.into_iter().map(|(_, value)| value).collect())
            .collect(),
    }
}

/// Runs an engine with `input`; `None` if there is no such program.
fn run(mut command: Command, input: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let name = command.get_program().to_string_lossy().into_owned();
    tracing::debug!("{command:?}");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        spawned => spawned.with_context(|| format!("cannot run `{name}`"))?,
    };
    if let Some(mut stdin) = child.stdin.take() {
        // An engine that does not read its input says why on standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output();
    let output = output.with_context(|| format!("cannot run `{name}`"))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().rfind(|line| !line.trim().is_empty());
        bail!("`{name}` failed: {}", last.unwrap_or_default().trim());
    }
    Ok(Some(output.stdout))
}

/// An object whose members keep their order.
struct Ordered(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Ordered;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Ordered(members))
            }
        }
        from.deserialize_map(Members)
    }
}
