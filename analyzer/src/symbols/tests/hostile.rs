//! Hostile files: an answer or a warning, never a panic.

use std::fs;

use object::LittleEndian as LE;
use object::elf::{FileHeader64, SHF_COMPRESSED, SHT_PROGBITS, SectionHeader64};

use super::fixture::{Folder, Site, lines, symbols};
use crate::symbols::elf::build_id;

fn shop(folder: &Folder) -> (Site, Vec<u8>) {
    let site = folder.shop(&["-g", "-Wl,--build-id=none"]);
    let bytes = fs::read(folder.path("shop")).unwrap();
    (site, bytes)
}

/// The warning about `shop` if it contains `bytes`.
fn warning(folder: &Folder, site: &Site, bytes: &[u8]) -> String {
    folder.write("shop", bytes);
    let mut symbols = symbols(&[]);
    assert!(!lines(&mut symbols, site).is_empty());
    symbols.warnings().join("\n")
}

#[test]
fn garbage_and_wrong_machines_are_named_as_such() {
    let folder = Folder::new();
    let (site, bytes) = shop(&folder);
    assert!(warning(&folder, &site, b"").contains("not a usable ELF file"));
    assert!(warning(&folder, &site, &[0x5a; 4096]).contains("not a usable ELF file"));
    for (at, value) in [(4, 1), (5, 2)] {
        let mut other = bytes.clone();
        other[at] = value; // 32-bit; big-endian
        assert!(warning(&folder, &site, &other).contains("not a usable ELF file"));
    }
}

#[test]
fn a_cut_file_says_so_at_every_length() {
    let folder = Folder::new();
    let (site, bytes) = shop(&folder);
    for part in 0..200 {
        let cut = bytes.len() * part / 200;
        assert_ne!(warning(&folder, &site, &bytes[..cut]), "", "{cut} bytes");
    }
}

#[test]
fn a_compressed_section_may_not_claim_more_than_it_can_hold() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-gz=zlib", "-Wl,--build-id=none"]);
    let mut bytes = fs::read(folder.path("shop")).unwrap();
    for (_, section) in sections(&bytes) {
        if section.sh_flags.get(LE).contains(SHF_COMPRESSED) {
            // ch_size, after ch_type and ch_reserved.
            let at = section.sh_offset.get(LE) as usize + 8;
            bytes[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
        }
    }
    let warning = warning(&folder, &site, &bytes);
    assert!(warning.contains("more than it can hold"), "{warning}");
    assert!(warning.contains("function names but no lines"), "{warning}");
}

#[test]
fn more_than_four_gibibytes_are_refused_before_they_are_read() {
    let folder = Folder::new();
    let (site, mut bytes) = shop(&folder);
    for (at, section) in sections(&bytes) {
        if section.sh_type.get(LE) == SHT_PROGBITS && section.sh_addr.get(LE) == 0 {
            // sh_size; the debug sections are the ones without an address.
            bytes[at + 32..at + 40].copy_from_slice(&(5u64 << 30).to_le_bytes());
        }
    }
    let path = folder.write("shop", &bytes);
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(6 << 30).unwrap(); // a hole: takes no disk
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), ["hidden"]);
    let warning = &symbols.warnings()[0];
    assert!(warning.contains("at most 4294967296 are read"), "{warning}");
}

#[test]
fn random_damage_never_panics() {
    let folder = Folder::new();
    let (site, bytes) = shop(&folder);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for _ in 0..1_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=next(8) {
            let at = next(damaged.len());
            damaged[at] = next(256) as u8;
        }
        warning(&folder, &site, &damaged);
    }
}

#[test]
fn folders_devices_and_pipes_are_not_opened() {
    let folder = Folder::new();
    folder.run("mkfifo", &["pipe"]);
    for path in [folder.path("pipe"), folder.path(""), "/dev/zero".into()] {
        let error = build_id(&path).unwrap_err();
        assert_eq!(error.to_string(), "not a regular file");
    }
}

#[test]
fn an_address_below_the_bias_is_shown_and_not_found() {
    let folder = Folder::new();
    let (mut site, _) = shop(&folder);
    site.module.bias = u64::MAX;
    assert_eq!(lines(&mut symbols(&[]), &site), ["?"]);
    site.address = 0;
    site.module.bias = 0;
    assert_eq!(lines(&mut symbols(&[]), &site), ["?"]);
}

/// The section headers, each with its own file offset.
fn sections(bytes: &[u8]) -> Vec<(usize, SectionHeader64<LE>)> {
    let (header, _) = object::pod::from_bytes::<FileHeader64<LE>>(bytes).unwrap();
    let start = header.e_shoff.get(LE) as usize;
    let count = header.e_shnum.get(LE) as usize;
    let table = &bytes[start..];
    let (sections, _) = object::pod::slice_from_bytes::<SectionHeader64<LE>>(table, count).unwrap();
    let offsets = (start..).step_by(size_of::<SectionHeader64<LE>>());
    offsets.zip(sections.iter().copied()).collect()
}
