//! `aclsan diff`.

use super::story::*;

fn logs() -> Folder {
    let folder = Folder::new();
    folder.file("old/a.aclsan", &clean().bytes());
    folder.file("new/a.aclsan", &faulty().bytes());
    folder
}

#[test]
fn what_is_new_is_told_whole_and_fails() {
    let folder = logs();
    let said = folder.run(&["diff", "old", "new"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    for line in [
        "==0== New: 2 findings",
        "==1== ERROR: aclsan: double-free: ",
        "==0==   +1024 bytes: 0 bytes to 1024 bytes, 0 to 2 blocks, allocated by `aclrtMalloc`:",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    // 4096 were allocated before; 4096 + 1000 + 24 are now.
    let row = said
        .out
        .lines()
        .find(|line| line.contains("allocated, device"));
    let words: Vec<&str> = row.expect("a row").split_whitespace().skip(3).collect();
    assert_eq!(words.join(" "), "4096 bytes 5120 bytes +1024 bytes");
    assert_eq!(
        said.last(),
        "==0== SUMMARY: aclsan: 2 findings new, 0 gone, 0 known; leaked bytes 0 to 1024"
    );
}

#[test]
fn what_is_gone_or_the_same_does_not_fail() {
    let folder = logs();
    let back = folder.run(&["diff", "new", "old"]);
    assert_eq!(back.code, 0);
    assert!(back.out.contains("==0== Gone: 2 findings"), "{}", back.out);
    let same = folder.run(&["diff", "new", "new"]);
    assert_eq!(same.code, 0);
    assert_eq!(
        same.last(),
        "==0== SUMMARY: aclsan: 0 findings new, 0 gone, 2 known; leaked bytes 1024 to 1024"
    );
    let milder = folder.run(&["diff", "--fail-on", "mismatched-free", "old", "new"]);
    assert_eq!(milder.code, 0);
}

#[test]
fn as_numbers_and_as_a_drawing() {
    let folder = logs();
    let said = folder.run(&["diff", "--json", "--flamegraph", "change.svg", "old", "new"]);
    let json = said.json();
    assert_eq!(json["new_findings"].as_array().unwrap().len(), 2);
    assert_eq!(
        json["leaked_bytes"],
        serde_json::json!({ "old": 0, "new": 1024 })
    );
    let svg = std::fs::read_to_string(folder.path().join("change.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("change"));
}
