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
        "was already released",
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
fn a_language_that_is_asked_for_is_the_pages_and_a_locale_is_the_browsers_to_follow() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let (zh, _) = page(&folder, &["--lang", "zh", "a.aclsan"]);
    assert!(zh.contains("<html lang=\"zh\" data-lang=\"zh\">"));
    // Beside the Chinese is the English, for the button.
    for words in [
        "\" data-en=\"more: aclsan explain double-free\">",
        ">存活字节随时间变化<",
        ">建议：内存块只释放一次",
    ] {
        assert!(zh.contains(words), "{words}");
    }
    let (en, _) = page(&folder, &["--lang", "en", "a.aclsan"]);
    assert!(en.contains("<html lang=\"en\" data-lang=\"en\">"));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_aclsan"));
    command.args(["report", "--html", "-", "a.aclsan"]);
    command.env("LC_ALL", "zh_CN.UTF-8");
    let output = command.current_dir(folder.path()).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("<html lang=\"en\">"));
    let without = |page: &str| page.replace(" data-lang=\"en\"", "");
    assert_eq!(without(&en), page, "nothing else differs");
}

#[test]
fn sizes_are_chinese_where_the_page_is() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let (zh, _) = page(&folder, &["--lang", "zh", "a.aclsan"]);
    // 1000 and 24 bytes leak, 4096 were the peak; the row tells the sum.
    for cell in [
        "<b><span data-zh=\"1024 字节\" data-en=\"1024 bytes\">1024 字节</span></b>",
        ">4096 字节</span></b>",
    ] {
        assert!(zh.contains(cell), "{cell}");
    }
    let leaks = zh.split("<table id=\"leaks\">").nth(1).unwrap_or("");
    assert!(leaks.contains(">1024 字节</span></b>"), "{leaks}");
    assert!(!zh.contains("bytes</b>"));
}

#[test]
fn several_logs_are_one_page_and_an_unreadable_one_is_reported() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    folder.file("b.aclsan", b"no log");
    let (page, said) = page(&folder, &["."]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("b.aclsan"), "{}", said.err);
    // Without rows there is no table, and the verdict says why.
    assert!(page.contains("data-t=\"verdict-clean\""));
    assert!(!page.contains("<table id=\"findings\">"));
}

#[test]
fn rows_name_their_processes_by_place_and_not_by_number() {
    let folder = Folder::new();
    // Another machine's process of the same number is clean; the third did what the second did.
    for (name, log) in [("a", clean()), ("b", faulty()), ("c", faulty())] {
        folder.file(&format!("{name}.aclsan"), &log.bytes());
    }
    let (page, _) = page(&folder, &["."]);
    assert!(page.contains("id=\"finding-0\" class=\"error\" data-process=\"1\" data-also=\"2-2\""));
    let leaks = page.split("<table id=\"leaks\">").nth(1).unwrap_or("");
    assert!(
        leaks.contains(
            "<tr id=\"leak-0\" data-process=\"1\" data-also=\"2-2\" data-begin=\"4000000\""
        )
    );
    assert!(!page.contains("data-process=\"0\""));
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
