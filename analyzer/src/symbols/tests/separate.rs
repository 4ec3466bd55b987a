//! Debug information in another file, and files that are not the recorded build.

use std::fs::{self, File};
use std::path::Path;

use super::fixture::{Folder, SHOP, Site, lines, symbols};
use crate::symbols::{SearchPaths, Symbols};

const FRAMES: [&str; 2] = ["+inner shop.c:3", "hidden shop.c:7"];

/// `shop` stripped, with `shop.debug` beside it and a link to that.
fn stripped_shop(folder: &Folder, options: &[&str]) -> Site {
    let site = folder.shop(options);
    folder.run("objcopy", &["--only-keep-debug", "shop", "shop.debug"]);
    folder.run(
        "objcopy",
        &["--strip-all", "--add-gnu-debuglink=shop.debug", "shop"],
    );
    site
}

fn build_id_name(site: &Site) -> String {
    let hex: String = site
        .module
        .build_id
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}/{}.debug", &hex[..2], &hex[2..])
}

#[test]
fn a_debug_link_is_followed_beside_the_file_and_in_its_debug_folder() {
    for place in ["shop.debug", ".debug/shop.debug"] {
        let folder = Folder::new();
        let site = stripped_shop(&folder, &["-g", "-Wl,--build-id"]);
        folder.rename("shop.debug", place);
        let mut symbols = symbols(&[]);
        assert_eq!(lines(&mut symbols, &site), FRAMES, "{place}");
        assert_eq!(symbols.warnings(), [""; 0]);
    }
}

#[test]
fn a_debug_link_without_a_build_id_is_held_to_its_checksum() {
    let folder = Folder::new();
    let site = stripped_shop(&folder, &["-g", "-Wl,--build-id=none"]);
    assert!(site.module.build_id.is_empty());
    assert_eq!(lines(&mut symbols(&[]), &site), FRAMES);

    let mut stale = fs::read(folder.path("shop.debug")).unwrap();
    stale.push(0);
    folder.write("shop.debug", stale);
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), ["?"]);
    assert!(
        symbols.warnings()[0].contains("checksum differs"),
        "{:?}",
        symbols.warnings()
    );
}

#[test]
fn a_linked_file_that_is_mostly_a_hole_is_not_read_to_its_end() {
    let folder = Folder::new();
    let site = stripped_shop(&folder, &["-g", "-Wl,--build-id=none"]);
    let debug = File::options().write(true).open(folder.path("shop.debug"));
    debug.unwrap().set_len(8 << 40).unwrap();
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), ["?"]);
    let reported =
        "shop.debug` could not be read: its checksum needs all of its 8796093022208 bytes";
    let warnings = symbols.warnings();
    assert!(warnings[0].contains(reported), "{warnings:?}");
}

#[test]
fn the_global_debug_folder_mirrors_paths_and_holds_a_build_id_tree() {
    let folder = Folder::new();
    let site = stripped_shop(&folder, &["-g", "-Wl,--build-id"]);
    let mirrored = format!("global{}", folder.path("shop.debug").display());
    let by_build_id = format!("tree/.build-id/{}", build_id_name(&site));
    for (place, root) in [(&mirrored, "global"), (&by_build_id, "tree")] {
        folder.rename("shop.debug", place);
        let mut symbols = Symbols::new(SearchPaths {
            system_debug_dir: folder.path(root),
            ..SearchPaths::default()
        });
        assert_eq!(lines(&mut symbols, &site), FRAMES, "{place}");
        folder.rename(place, "shop.debug");
    }
}

#[test]
fn a_debug_dir_works_without_the_binary_as_on_another_machine() {
    let folder = Folder::new();
    let site = stripped_shop(&folder, &["-g", "-Wl,--build-id"]);
    folder.rename("shop.debug", &format!("tree/{}", build_id_name(&site)));
    fs::remove_file(folder.path("shop")).unwrap();
    let mut with = symbols(&[folder.path("tree")]);
    assert_eq!(lines(&mut with, &site), FRAMES);

    let mut without = symbols(&[]);
    assert_eq!(lines(&mut without, &site), ["?"]);
    assert!(
        without.warnings()[0].contains("no such file here"),
        "{:?}",
        without.warnings()
    );
}

#[test]
fn a_sysroot_and_a_debug_dir_find_an_unstripped_copy() {
    let folder = Folder::new();
    let site = folder.shop(&["-g"]);
    let moved = format!("root{}", folder.path("shop").display());
    folder.rename("shop", &moved);
    let mut sysroot = Symbols::new(SearchPaths {
        sysroot: Some(folder.path("root")),
        ..SearchPaths::default()
    });
    assert_eq!(lines(&mut sysroot, &site), FRAMES);
    let flat = Path::new(&moved).parent().unwrap();
    let mut debug_dir = symbols(&[folder.path(flat.to_str().unwrap())]);
    assert_eq!(lines(&mut debug_dir, &site), FRAMES);
}

#[test]
fn a_rebuilt_binary_gives_no_lines_and_says_so() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-Wl,--build-id"]);
    folder.write("shop.c", format!("\n\n{SHOP}"));
    folder.run(
        "cc",
        &[
            "-g",
            "-O2",
            "-Wl,--build-id",
            "-o",
            "shop",
            "shop.c",
            "recorder.o",
        ],
    );
    let mut symbols = symbols(&[]);
    let frames = symbols.resolve(Some(&site.module), site.address, true);
    assert_eq!(
        (frames[0].function.as_deref(), frames[0].line),
        (None, None)
    );
    assert_eq!(frames[0].offset, site.address - site.module.bias);
    let [warning] = symbols.warnings() else {
        panic!("{:?}", symbols.warnings());
    };
    assert!(
        warning.contains("has build-id") && warning.contains("the recorded file had"),
        "{warning}"
    );
}

#[test]
fn two_builds_of_one_path_are_kept_apart() {
    let folder = Folder::new();
    let old = folder.shop(&["-g", "-Wl,--build-id"]);
    folder.rename("shop", "old/shop");
    let new = folder.shop(&["-g", "-Wl,--build-id", "-DREBUILT", "-O1"]);
    assert_eq!(old.module.path, new.module.path);
    assert_ne!(old.module.build_id, new.module.build_id);
    let mut symbols = symbols(&[folder.path("old")]);
    assert_eq!(lines(&mut symbols, &old), FRAMES);
    assert_eq!(lines(&mut symbols, &new), FRAMES);
}
