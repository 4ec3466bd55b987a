//! Split DWARF (`.dwo`, `.dwp`) and what `dwz` moves out.

use std::fs;

use super::fixture::{Folder, has_tool, lines, symbols};

const FRAMES: [&str; 2] = ["+inner shop.c:3", "hidden shop.c:7"];

fn dwo(folder: &Folder) -> String {
    let names = fs::read_dir(folder.path("")).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .find(|name| name.ends_with(".dwo"))
        .expect("a .dwo file")
}

#[test]
fn inlined_functions_come_from_the_dwo_file() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = Folder::new();
        let site = folder.shop(&[version, "-gsplit-dwarf"]);
        assert_eq!(lines(&mut symbols(&[]), &site), FRAMES, "{version}");
        folder.rename(&dwo(&folder), &format!("elsewhere/{}", dwo(&folder)));
        let mut moved = symbols(&[folder.path("elsewhere")]);
        assert_eq!(lines(&mut moved, &site), FRAMES, "{version}");
        assert_eq!(moved.warnings(), [""; 0]);
    }
}

#[test]
fn a_missing_dwo_file_leaves_the_line_and_is_reported_once() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-gsplit-dwarf"]);
    fs::remove_file(folder.path(&dwo(&folder))).unwrap();
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), ["hidden shop.c:3"]);
    symbols.resolve(Some(&site.module), site.address - 1, true);
    assert_eq!(symbols.warnings().len(), 1, "{:?}", symbols.warnings());
}

#[test]
fn a_dwp_package_stands_for_its_dwo_files() {
    if !has_tool("dwp") {
        return;
    }
    let folder = Folder::new();
    // The packager of binutils 2.40 and older knows DWARF 4 only.
    let site = folder.shop(&["-gdwarf-4", "-gsplit-dwarf"]);
    folder.run("dwp", &["-e", "shop", "-o", "shop.dwp"]);
    fs::remove_file(folder.path(&dwo(&folder))).unwrap();
    assert_eq!(lines(&mut symbols(&[]), &site), FRAMES);
}

#[test]
fn names_that_dwz_shares_between_files_are_found() {
    if !has_tool("dwz") {
        return;
    }
    let folder = Folder::new();
    let site = folder.shop(&["-gdwarf-4", "-Wl,--build-id"]);
    folder.run("cp", &["shop", "twin"]);
    folder.run(
        "dwz",
        &["-m", "shared.debug", "-M", "shared.debug", "shop", "twin"],
    );
    assert_eq!(lines(&mut symbols(&[]), &site), FRAMES);
    fs::remove_file(folder.path("shared.debug")).unwrap();
    assert_ne!(lines(&mut symbols(&[]), &site), FRAMES);
}
