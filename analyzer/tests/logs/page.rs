//! `aclsan report --html`, as a file. What a browser makes of it is for `tests/browser`.

use super::story::*;

fn page(folder: &Folder, arguments: &[&str]) -> (String, Said) {
    let said = folder.run(&[&["report", "--html", "page.html"], arguments].concat());
    let page = std::fs::read_to_string(folder.path().join("page.html"));
    (page.unwrap_or_default(), said)
}

#[test]
fn the_page_is_written_in_place_of_the_text_and_the_verdict_stays() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let (page, said) = page(&folder, &["a.aclsan"]);
    assert_eq!(
        (said.out.as_str(), said.err.as_str(), said.code),
        ("", "", 1)
    );
    for words in [
        "double-free",
        "was released before",
        "1000 bytes",
        "train+0x1000",
        "id=\"data\">",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let said = folder.run(&["report", "--html", "-", "a.aclsan"]);
    assert!(said.out == page, "standard output has the same page");
}

#[test]
fn several_logs_are_one_page_and_an_unreadable_one_is_told() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    folder.file("b.aclsan", b"no log");
    let (page, said) = page(&folder, &["."]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("b.aclsan"), "{}", said.err);
    assert!(page.contains("<table id=\"findings\">"));
}

#[test]
fn nothing_observed_is_a_page_too_where_that_is_accepted() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("empty")).expect("writable");
    let (page, said) = page(&folder, &["--allow-empty", "empty"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(page.starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_page_cannot_be_bounded_below_itself() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    let (_, said) = page(&folder, &["--max-html-size", "10K", "a.aclsan"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err
            .contains("10240 bytes are too few for a page: it takes 262144"),
        "{}",
        said.err
    );
}
