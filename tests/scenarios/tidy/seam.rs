//! A vendor is a folder of tables: what decides, tracks and guards names no function, code or product of one.

use crate::checkout::{File, files};

/// Rooms that know no vendor.
const ROOMS: [&str; 10] = [
    "reports/rules/src/rules/",
    "reports/rules/src/trackers/",
    "reports/rules/src/judge/",
    "reports/rules/src/evidence/",
    "reports/rules/src/consequences/",
    "shim/heap/",
    "shim/guards/",
    "shim/judge/",
    "shim/record/",
    "shim/state/",
];

/// What functions of a vendor's libraries begin with, before a capital letter.
const PREFIXES: [&str; 12] = [
    "acl", "aclrt", "acldvpp", "aclmdl", "aclop", "aclnn", "aclvdec", "aclvenc", "Hccl", "rt",
    "rts", "mstx",
];
/// Other names of products and interfaces.
const NAMES: [&str; 8] = [
    "AscendCL", "Ascend", "CANN", "HIAI", "hi_mpi", "HCCL", "NPU", "mstx",
];

/// The words of a line's code: comments are documentation, which may say where a fact comes from.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

fn is_vendors(word: &str) -> bool {
    let is_function = |prefix: &str| {
        let rest = word.strip_prefix(prefix).unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_uppercase())
    };
    let digits = word.replace('_', "");
    // The runtime's codes are six digits, the first of which says whose mistake it was.
    let is_code = digits.len() == 6
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && ["10", "16", "20", "30", "50", "56"]
            .iter()
            .any(|begin| digits.starts_with(begin))
        && !digits.ends_with("000000");
    PREFIXES.into_iter().any(is_function)
        || NAMES.iter().any(|name| word.starts_with(name))
        || is_code
}

fn names_of(file: &File) -> Vec<String> {
    let code = file
        .text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = code.lines().zip(1..);
    let found = lines.filter_map(|(line, number)| {
        let word = words(line).find(|word| is_vendors(word))?;
        Some(format!("{}:{number}: {word}", file.name))
    });
    found.collect()
}

#[test]
fn rules_trackers_and_guards_name_no_vendor() {
    let files = files();
    let product = files.iter().filter(|file| {
        let is_test = ["tests", "testing", "fake"]
            .iter()
            .any(|word| file.name.contains(word));
        file.is_rust() && !is_test && ROOMS.iter().any(|room| file.name.starts_with(room))
    });
    let found: Vec<_> = product.flat_map(names_of).collect();
    assert!(
        found.is_empty(),
        "put these into a vendor's tables: {found:#?}"
    );
}

#[test]
fn a_vendors_names_and_codes_are_recognised() {
    for word in [
        "aclrtFree",
        "rtMalloc",
        "HIAI_DFree",
        "107000",
        "507_015",
        "HcclAllReduce",
    ] {
        assert!(is_vendors(word), "{word}");
    }
    for word in ["start", "aclsan", "rtmalloc", "4096", "1_000_000", "part"] {
        assert!(!is_vendors(word), "{word}");
    }
}
