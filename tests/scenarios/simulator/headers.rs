//! Headers: everything they declare exists, and they compile with strict flags.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::building::{compiler, has_cpp, scratch, simulator, strict_compiler, succeed};

/// Prefixes of public functions' names.
const PREFIXES: [&str; 7] = ["acl", "Acl", "hi_mpi_", "Hccl", "PTA", "Nnopbase", "_Z"];

/// Names before a parenthesis, public functions only.
fn called(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('(')
        .map(|(at, _)| {
            text[..at]
                .rsplit(|c| !is_word(c))
                .next()
                .unwrap_or_default()
        })
        .filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

fn headers(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            headers(&path, text);
        } else {
            let header = fs::read_to_string(&path).unwrap();
            let code = |line: &&str| !line.trim_start().starts_with(['/', '*', '#', '}']);
            header.lines().filter(code).for_each(|line| *text += line);
        }
    }
}

#[test]
fn every_declared_function_is_exported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut declared = String::new();
    headers(&root.join("../shim/abi/include"), &mut declared);
    let table: String = [
        "exports.h",
        "more_exports.h",
        "compute/exports.h",
        "media/mpi.h",
        "aclnn/exports.h",
        "hccl/exports.h",
        "media/mpi_vpc.h",
        "media/picture/exports.h",
        "absent/pictures.h",
        "absent/venc.h",
    ]
    .iter()
    .map(|file| fs::read_to_string(root.join("simulator").join(file)).unwrap())
    .collect();
    let exported: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("X(")?.split(')').next())
        // Looked up by name by torch_npu and declared in no header.
        .filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect();
    assert_eq!(called(&declared), exported);
}

#[test]
fn headers_are_strict_c_and_cpp() {
    let source = scratch("headers.c");
    fs::write(
        &source,
        "#include <acl/acl.h>\n#include <acl/ops/acl_dvpp.h>\n#include <acl/dvpp/hi_dvpp.h>\n#include <aclnn/opdev.h>\n#include <hccl/hccl.h>\n#include <hiaiengine/c_graph.h>\n#include <aclsim.h>\n",
    )
    .unwrap();
    let check = |language: &str, standard: &str| {
        let mut command = strict_compiler(&simulator().join("include"));
        command
            .args(["-x", language, standard, "-Wpedantic", "-fsyntax-only"])
            .arg(&source);
        command
    };
    succeed(&mut check("c", "-std=c11"));
    if has_cpp() {
        succeed(&mut check("c++", "-std=c++11"));
    }
}

/// Written when the simulator is built: `aclnnop/aclnn_….h`.
#[test]
fn every_header_of_operators_compiles_alone_and_what_it_declares_is_there() {
    let folder = scratch("operator-headers");
    fs::create_dir_all(&folder).unwrap();
    let mut sources = Vec::new();
    let (mut all, mut names) = (String::new(), BTreeSet::new());
    for entry in fs::read_dir(simulator().join("include/aclnnop")).unwrap() {
        let path = entry.unwrap().path();
        let header = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            continue;
        }
        let source = folder.join(format!("{header}.c"));
        fs::write(&source, format!("#include <aclnnop/{header}>\n")).unwrap();
        sources.push(source);
        all += &format!("#include <aclnnop/{header}>\n");
        names.extend(called(&fs::read_to_string(&path).unwrap()));
    }
    assert!(sources.len() > 500 && names.len() > 1800);
    let check = |language: &str, standard: &str| {
        let mut command = strict_compiler(&simulator().join("include"));
        command
            .args(["-x", language, standard, "-Wpedantic", "-fsyntax-only"])
            .args(&sources);
        succeed(&mut command);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check("c", "-std=c11"));
        if has_cpp() {
            scope.spawn(|| check("c++", "-std=c++11"));
        }
    });
    let table: String = names
        .iter()
        .map(|name| format!("(void (*)(void)){name}, "))
        .collect();
    let source = folder.join("all.c");
    let program = format!(
        "{all}void (*const functions[])(void) = {{{table}}};\nint main(void) {{ return functions[0] == 0; }}\n"
    );
    fs::write(&source, program).unwrap();
    let mut command = compiler();
    command.arg(&source).arg("-o").arg(folder.join("all"));
    command.arg("-L").arg(simulator().join("lib"));
    succeed(command.args(["-lopapi", "-lnnopbase", "-lascendcl"]));
}
