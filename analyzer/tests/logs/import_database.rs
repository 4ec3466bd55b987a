//! Damaged and hostile msMemScope databases: a message, never a panic, a hang or unbounded memory.

use std::fs;

use rusqlite::{Connection, ToSql};

use super::story::*;

const COLUMNS: &str = "\"ID\" INTEGER,\"Event\" TEXT,\"Event Type\" TEXT,\"Name\" TEXT,\"Timestamp(ns)\" INTEGER,\"Process Id\" INTEGER,\
    \"Thread Id\" INTEGER,\"Device Id\" TEXT,\"Ptr\" TEXT,\"Attr\" TEXT,\"Call Stack(Python)\" TEXT,\"Call Stack(C)\" TEXT";
/// One allocation, in the order of the columns.
const ROW: &str = "1,'MALLOC','HAL','N/A',20,7,7,'0','4096','{\"size\":1}','',''";

/// A database of these statements.
fn database(folder: &Folder, name: &str, statements: &str) {
    let database = Connection::open(folder.path().join(name)).unwrap();
    database.execute_batch(statements).unwrap();
    database.close().unwrap();
}

/// Imports it: success or failure, but not the exit code of a panic.
fn import(folder: &Folder, name: &str) -> Said {
    let said = folder.run(&["import", "-o", "logs", name]);
    assert!(matches!(said.code, 0 | 2 | 3), "{said:?}");
    assert!(!said.err.contains("panicked"), "{}", said.err);
    let _ = fs::remove_dir_all(folder.path().join("logs"));
    said
}

#[test]
fn every_kind_of_damage_ends_in_logs_or_in_a_sentence() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let said = folder.run(&[
        "export",
        "--format",
        "memscope-db",
        "-o",
        "a.db",
        "a.aclsan",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    let whole = fs::read(folder.path().join("a.db")).unwrap();
    // The header and the schema more densely than the rest, and the ends of pages.
    let mut places: Vec<usize> = (0..100).step_by(3).collect();
    places.extend((100..whole.len()).step_by(whole.len() / 60));
    places.extend(
        (0..whole.len())
            .step_by(4096)
            .flat_map(|page| page..page + 12),
    );
    let mut refused = 0;
    for at in places.into_iter().filter(|at| *at < whole.len()) {
        for mask in [0x55, 0xff] {
            let mut flipped = whole.clone();
            flipped[at] ^= mask;
            folder.file("flipped.db", &flipped);
            refused += u32::from(import(&folder, "flipped.db").code == 2);
        }
        folder.file("cut.db", &whole[..at]);
        let said = import(&folder, "cut.db");
        assert!(
            said.code == 2 && said.err.contains("`cut.db`"),
            "{at}: {said:?}"
        );
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_value_of_another_type_is_named_or_read() {
    let folder = Folder::new();
    let blob: &[u8] = &[0xff, 0, 0x1b];
    let values: [(&str, &dyn ToSql); 5] = [
        ("NULL", &rusqlite::types::Null),
        ("a real number", &1.5_f64),
        ("a negative one", &i64::MIN),
        ("bytes", &blob),
        ("a text with what steers terminals", &"\u{1b}[2J\0\u{202e}"),
    ];
    let names: Vec<&str> = COLUMNS
        .split(',')
        .map(|column| column.split('"').nth(1).unwrap())
        .collect();
    for (what, value) in values {
        for name in &names {
            let path = folder.path().join("t.db");
            let _ = fs::remove_file(&path);
            database(
                &folder,
                "t.db",
                &format!(
                    "CREATE TABLE memscope_dump ({COLUMNS}); INSERT INTO memscope_dump VALUES ({ROW})"
                ),
            );
            let open = Connection::open(&path).unwrap();
            open.execute(&format!("UPDATE memscope_dump SET \"{name}\" = ?"), [value])
                .unwrap();
            drop(open);
            let said = import(&folder, "t.db");
            assert!(
                !said.err.contains(['\u{1b}', '\0']),
                "{what} in {name}: {said:?}"
            );
            if what == "bytes" {
                let reported =
                    format!("`t.db` row 1, column `{name}`: `3 bytes` are no text and no number");
                assert!(said.err.contains(&reported), "{said:?}");
            }
            if said.code == 2 {
                assert!(
                    said.err.contains("row 1, column `"),
                    "{what} in {name}: {said:?}"
                );
            }
        }
    }
}

#[test]
fn a_text_beyond_all_measure_is_refused() {
    let folder = Folder::new();
    let row = ROW.replace("'N/A'", "printf('%.*c', 17000000, 'x')");
    database(
        &folder,
        "t.db",
        &format!(
            "CREATE TABLE memscope_dump ({COLUMNS}); INSERT INTO memscope_dump VALUES ({row})"
        ),
    );
    let said = import(&folder, "t.db");
    assert_eq!(
        (said.code, said.err.as_str()),
        (
            2,
            "aclsan: cannot read `t.db`: string or blob too big: Error code 18: String or BLOB exceeds size limit\n"
        )
    );
}

#[test]
fn a_schema_that_would_work_for_ever_is_not_asked() {
    let folder = Folder::new();
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS \"ID\" FROM n";
    let without = COLUMNS.replace(
        "\"Ptr\" TEXT",
        "\"Ptr\" TEXT AS (printf('%.*c', 900000000, 'x'))",
    );
    for (statements, reported) in [
        (format!("CREATE VIEW memscope_dump AS {endless}"), "have no `memscope_dump` among them"),
        ("CREATE VIEW memscope_dump AS SELECT * FROM leaks_dump; CREATE VIEW leaks_dump AS SELECT * FROM memscope_dump".to_owned(), "have no `memscope_dump` among them"),
        ("CREATE VIRTUAL TABLE memscope_dump USING fts5(\"ID\")".to_owned(), "has no column `Event`"),
        (format!("CREATE TABLE memscope_dump ({without})"), "has no column `Ptr`"),
        ("CREATE TABLE memscope_dump (a)".to_owned(), "has no column `ID`"),
    ] {
        let _ = fs::remove_file(folder.path().join("t.db"));
        database(&folder, "t.db", &statements);
        let said = import(&folder, "t.db");
        assert!(said.code == 2 && said.err.contains(reported), "{statements}: {said:?}");
    }
}

/// The first page of the table's rows refers to itself, or to another one in circles.
#[test]
fn pages_that_lead_in_circles_end() {
    let folder = Folder::new();
    let rows = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO memscope_dump SELECT {ROW} FROM n"
    );
    database(
        &folder,
        "t.db",
        &format!("PRAGMA page_size = 512; CREATE TABLE memscope_dump ({COLUMNS}); {rows}"),
    );
    let whole = fs::read(folder.path().join("t.db")).unwrap();
    assert_eq!(import(&folder, "t.db").code, 0);
    // Inner table pages begin with 5; cell offsets start at the 12th byte, and each cell begins with a page number.
    let pages = whole.len() / 512;
    let inner: Vec<usize> = (1..pages).filter(|page| whole[page * 512] == 5).collect();
    assert!(inner.len() > 1, "{inner:?}");
    for &target in &inner {
        let mut bytes = whole.clone();
        for page in &inner {
            let start = page * 512;
            let cells = usize::from(u16::from_be_bytes([bytes[start + 3], bytes[start + 4]]));
            for cell in 0..cells {
                let at = start + 12 + 2 * cell;
                let at = start + usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
                let child = if cell % 2 == 0 {
                    target as u32 + 1
                } else {
                    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
                };
                bytes[at..at + 4].copy_from_slice(&child.to_be_bytes());
            }
        }
        folder.file("circle.db", &bytes);
        let said = import(&folder, "circle.db");
        assert!(
            said.code == 2 && said.err.contains("cannot read `circle.db`"),
            "{said:?}"
        );
    }
}

#[test]
fn a_journal_beside_it_that_is_none_stays_as_it_is() {
    let folder = Folder::new();
    let rows = format!("INSERT INTO memscope_dump VALUES ({ROW})");
    database(
        &folder,
        "t.db",
        &format!("CREATE TABLE memscope_dump ({COLUMNS}); {rows}"),
    );
    for neighbor in ["t.db-wal", "t.db-journal"] {
        folder.file(neighbor, b"not one");
        let said = import(&folder, "t.db");
        let is_reported = said.err.starts_with("aclsan: cannot read `t.db`: ");
        assert!(said.code == 0 || is_reported, "{neighbor}: {said:?}");
        assert_eq!(fs::read(folder.path().join(neighbor)).unwrap(), b"not one");
    }
}
