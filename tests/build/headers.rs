//! Headers of operators, `aclnnop/aclnn_….h`, from the tables of the operator library: both phases of every exported operator.
//!
//! Types of parameters follow from the letters of an operator's row (`aclnn/engine/operator.h`), whose text the preprocessor writes out. Operators
//! that nothing computes have no row: their first phase takes whatever it is given. What a header of ours declares is
//! included, or is the generated one's beginning where both have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use aclsan_glibc::compiler;

use super::{fail, source_files};

const NAMES: [&str; 2] = [
    "simulator/aclnn/doors/names.h",
    "simulator/aclnn/doors/more_names.h",
];
const OURS: &str = "../shim/abi/include/aclnnop";
/// Headers whose operators are not those that its name says: a line each, `header: operators`.
const GROUPS: &str = include_str!("headers.txt");

/// Writes them.
pub fn write(to: &Path) -> io::Result<()> {
    let (names, rows, ours) = (names()?, rows(), ours()?);
    let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in &names {
        files.entry(file(name, &names)).or_default().push(name);
    }
    for line in GROUPS.lines().filter(|line| !line.starts_with('#')) {
        let (header, operators) = line
            .split_once(": ")
            .unwrap_or_else(|| fail(&format!("headers.txt: `{line}` has no `: `")));
        for operator in operators.split(' ') {
            let Some(name) = names.get(operator) else {
                fail(&format!("headers.txt: {operator} is not exported"));
            };
            files.entry(header.to_owned()).or_default().push(name);
        }
    }
    fs::create_dir_all(to.join("level2"))?;
    for (header, operators) in files {
        let file = format!("aclnn_{header}.h");
        install(&to.join(&file), &text(&header, &operators, &rows, &ours))?;
        // Programs for older versions of CANN include them from there.
        let forward = format!("#include \"aclnnop/{file}\"\n");
        install(&to.join("level2").join(&file), &forward)?;
    }
    Ok(())
}

fn install(file: &Path, text: &str) -> io::Result<()> {
    let fresh = file.with_extension("installing");
    fs::write(&fresh, text)?;
    fs::rename(&fresh, file)
}

fn names() -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in NAMES {
        let text = fs::read_to_string(file)?;
        let listed = text.split("X(").skip(1);
        names.extend(listed.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
    }
    // Parameters of the lists' own macros.
    names.retain(|name| name.len() > 1);
    Ok(names)
}

/// Letters by name.
fn rows() -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    for source in source_files(Path::new("simulator/aclnn/engine")) {
        let mut command = compiler();
        // Rows are the same for all versions.
        command
            .args(["-E", "-P", "-DACLSIM_CANN=80300", "-I../shim/abi/include"])
            .arg(&source);
        let text = match command.output() {
            Ok(output) if output.status.success() => output.stdout,
            _ => fail(&format!("cannot preprocess {}", source.display())),
        };
        let text = String::from_utf8_lossy(&text);
        for row in text.split(".name =").skip(1) {
            let (name, rest) = literals(row);
            if let Some(rest) = rest.trim_start().strip_prefix(", .arguments =") {
                rows.insert(name, literals(rest).0);
            }
        }
    }
    rows
}

/// Adjacent string literals as one, and what follows them.
fn literals(text: &str) -> (String, &str) {
    let mut joined = String::new();
    let mut rest = text.trim_start();
    while let Some((literal, after)) = rest
        .strip_prefix('"')
        .and_then(|inside| inside.split_once('"'))
    {
        joined += literal;
        rest = after.trim_start();
    }
    (joined, rest)
}

/// What headers of ours declare, and where.
fn ours() -> io::Result<BTreeMap<String, String>> {
    let mut ours = BTreeMap::new();
    for entry in fs::read_dir(OURS)? {
        let path = entry?.path();
        let header = path.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path)?;
        let in_macro = text.split("ACLSAN_OPERATOR(").skip(1);
        let in_macro = in_macro.filter_map(|rest| Some(rest.split_once(',')?.0));
        let spelled = text.split("aclnnStatus aclnn").skip(1);
        let spelled = spelled.filter_map(|rest| rest.split_once("GetWorkspaceSize("));
        for name in in_macro.chain(spelled.map(|(name, _)| name)) {
            ours.insert(name.trim().to_owned(), header.clone().into_owned());
        }
    }
    Ok(ours)
}

/// The header of an operator: forms in place and with a scalar (`Adds`) are declared with the operator itself.
fn file(name: &str, names: &BTreeSet<String>) -> String {
    let base = name.strip_prefix("Inplace").unwrap_or(name);
    let of_tensor = base.strip_suffix('s').filter(|base| names.contains(*base));
    snake(of_tensor.unwrap_or(base))
}

/// `NLLLoss2d` is `nll_loss2d`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let starts_word = letter.is_ascii_uppercase()
            && (before.is_some_and(|before| !before.is_ascii_uppercase())
                || after.is_some_and(char::is_ascii_lowercase));
        if starts_word && at > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn text(
    header: &str,
    operators: &[&str],
    rows: &BTreeMap<String, String>,
    ours: &BTreeMap<String, String>,
) -> String {
    let guard = format!("ACLSAN_GENERATED_ACLNN_{}_H", header.to_ascii_uppercase());
    let own = format!("aclnn_{header}.h");
    let included: BTreeSet<_> = operators
        .iter()
        .filter_map(|name| ours.get(*name))
        .collect();
    let includes: String = included
        .iter()
        .filter(|file| **file != &own)
        .map(|file| format!("#include \"aclnnop/{file}\"\n"))
        .collect();
    let beginning = fs::read_to_string(Path::new(OURS).join(&own)).unwrap_or_default();
    let declared: String = operators
        .iter()
        .filter(|name| !ours.contains_key(**name))
        .map(|name| declaration(name, rows.get(*name).map(String::as_str)))
        .collect();
    format!(
        "{beginning}/* Written from the simulator's tables. */\n#ifndef {guard}\n#define {guard}\n\n#include \"aclnn/aclnn_base.h\"\n{includes}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declared}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

fn declaration(name: &str, letters: Option<&str>) -> String {
    let first = match letters {
        Some(letters) => format!(
            "aclnnStatus aclnn{name}GetWorkspaceSize({}uint64_t *workspaceSize, aclOpExecutor **executor);\n",
            parameters(letters)
        ),
        // Nothing is known of its parameters.
        None => format!(
            "#ifdef __cplusplus\naclnnStatus aclnn{name}GetWorkspaceSize(...);\n#else\naclnnStatus aclnn{name}GetWorkspaceSize();\n#endif\n"
        ),
    };
    format!(
        "{first}aclnnStatus aclnn{name}(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);\n"
    )
}

/// The last tensor is the result, unless it replaces the first.
fn parameters(letters: &str) -> String {
    let (in_place, letters) = match letters.strip_prefix('=') {
        Some(rest) => (true, rest),
        None => (false, letters),
    };
    let result = match in_place {
        true => Some(0),
        false => letters.rfind('T'),
    };
    let parameter = |(at, letter): (usize, char)| {
        let (kind, name) = match letter {
            'T' | 't' if in_place && at == 0 => ("aclTensor *", "selfRef"),
            'T' | 't' if Some(at) == result => ("aclTensor *", "out"),
            'T' | 't' if at == 0 => ("const aclTensor *", "self"),
            'T' => ("const aclTensor *", "tensor"),
            't' => ("const aclTensor *", "optional"),
            'L' | 'l' => ("const aclTensorList *", "list"),
            'S' | 's' => ("const aclScalar *", "scalar"),
            'Z' => ("const aclScalarList *", "scalars"),
            'I' | 'i' => ("const aclIntArray *", "numbers"),
            'F' => ("const aclFloatArray *", "reals"),
            'B' => ("const aclBoolArray *", "flags"),
            'n' => ("int64_t ", "number"),
            'm' => ("int32_t ", "number"),
            'c' => ("int8_t ", "mode"),
            'e' => ("aclDataType ", "type"),
            'b' => ("bool ", "flag"),
            'd' => ("double ", "real"),
            'f' => ("float ", "real"),
            'q' => ("const char *", "text"),
            _ => fail(&format!("headers.rs does not know the letter {letter}")),
        };
        let number = match name {
            "self" | "selfRef" | "out" => String::new(),
            _ => (at + 1).to_string(),
        };
        format!("{kind}{name}{number}, ")
    };
    letters.char_indices().map(parameter).collect()
}
