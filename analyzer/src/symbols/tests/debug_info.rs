//! Functions, files and lines from one unstripped file, and what is left without it.

use super::fixture::{Folder, line, lines, symbols};
use crate::symbols::UNKNOWN_MODULE;

const FRAMES: [&str; 2] = ["+inner shop.c:3", "hidden shop.c:7"];

#[test]
fn a_call_in_an_inlined_function_gives_both_functions_in_a_pie() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-fPIE", "-pie"]);
    assert_ne!(site.module.bias, 0);
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), FRAMES);
    assert_eq!(symbols.warnings(), [""; 0]);
}

#[test]
fn a_fixed_address_executable_needs_no_bias() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-fno-pie", "-no-pie"]);
    assert_eq!(site.module.bias, 0);
    assert_eq!(lines(&mut symbols(&[]), &site), FRAMES);
}

#[test]
fn many_addresses_at_once_have_the_frames_that_each_has() {
    let folder = Folder::new();
    let site = folder.shop(&["-g", "-static"]);
    let module = &site.module;
    // Addresses of the program and of the C library linked into it, which has only a symbol table.
    let addresses: Vec<u64> = (0..2000)
        .map(|step| site.address - 200 + step * 7)
        .collect();
    let (mut one, mut many) = (symbols(&[]), symbols(&[]));
    let kept = many.module_id(module);
    many.prepare((kept, module), &addresses);
    for &address in &addresses {
        let reported = [&mut one, &mut many].map(|all| all.resolve(Some(module), address, true));
        assert_eq!(reported[0], reported[1], "{address:#x}");
    }
    assert_eq!(lines(&mut many, &site), FRAMES);
    assert_eq!(one.warnings(), many.warnings());
}

#[test]
fn every_dwarf_version_and_compression_reads_the_same() {
    for options in [
        ["-gdwarf-3", "-gz=none"],
        ["-gdwarf-4", "-gz=zlib"],
        ["-gdwarf-5", "-gz=zlib"],
    ] {
        let folder = Folder::new();
        let site = folder.shop(&options);
        assert_eq!(lines(&mut symbols(&[]), &site), FRAMES, "{options:?}");
    }
}

#[test]
fn frames_carry_the_module_and_the_elf_address() {
    let folder = Folder::new();
    let site = folder.shop(&["-g"]);
    let frames = symbols(&[]).resolve(Some(&site.module), site.address, true);
    for frame in frames {
        assert_eq!(*frame.module, *site.module.path);
        assert_eq!(frame.offset, site.address - site.module.bias);
    }
}

#[test]
fn a_call_that_never_returns_belongs_to_its_caller_not_to_the_next_function() {
    let folder = Folder::new();
    folder.write(
        "stop.c",
        "__attribute__((noreturn)) void note_and_exit(void);
         __attribute__((noinline, aligned(1))) void last(void) { note_and_exit(); }
         __attribute__((noinline, aligned(1))) void next(void) { __asm__ volatile(\"\"); }
         int main(int argc, char **argv) { (void)argv; if (argc) last(); next(); return 0; }",
    );
    folder.run(
        "cc",
        &[
            "-g",
            "-O2",
            "-fno-reorder-functions",
            "-fno-toplevel-reorder",
            "-o",
            "stop",
            "stop.c",
            "recorder.o",
        ],
    );
    let site = folder.sites("stop", &[]).remove(0);
    assert_eq!(lines(&mut symbols(&[]), &site), ["last stop.c:2"]);
    let exact = symbols(&[]).resolve(Some(&site.module), site.address, false);
    assert_ne!(exact[0].function.as_deref(), Some("last"));
}

#[test]
fn an_exact_address_is_looked_up_as_it_is() {
    let folder = Folder::new();
    folder.write(
        "entry.c",
        "void record(void *pc);\nint main(void) {\n    record((void *)main);\n}\n",
    );
    folder.run("cc", &["-g", "-o", "entry", "entry.c", "recorder.o"]);
    let site = folder.sites("entry", &[]).remove(0);
    let frames = symbols(&[]).resolve(Some(&site.module), site.address, false);
    assert_eq!(
        frames.iter().map(line).collect::<Vec<_>>(),
        ["main entry.c:2"]
    );
}

#[test]
fn a_symbol_table_alone_gives_the_function_and_no_warning() {
    let folder = Folder::new();
    let site = folder.shop(&["-g0"]);
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &site), ["hidden"]);
    assert_eq!(symbols.warnings(), [""; 0]);
}

#[test]
fn a_dynamic_symbol_table_never_names_a_stripped_static_function() {
    let folder = Folder::new();
    folder.write(
        "plugin.c",
        "void note(void);
         static __attribute__((noinline)) void hidden(void) { note(); __asm__ volatile(\"\"); }
         void enter(void) { hidden(); note(); __asm__ volatile(\"\"); }",
    );
    folder.write("main.c", "void enter(void); int main(void) { enter(); }");
    folder.run(
        "cc",
        &[
            "-O2",
            "-fPIC",
            "-shared",
            "-o",
            "libplugin.so",
            "plugin.c",
            "recorder.o",
        ],
    );
    folder.run("strip", &["libplugin.so"]);
    folder.run(
        "cc",
        &[
            "-o",
            "main",
            "main.c",
            "-L.",
            "-lplugin",
            "-Wl,-rpath,$ORIGIN",
        ],
    );
    let sites = folder.sites("main", &[]);
    let mut symbols = symbols(&[]);
    assert_eq!(lines(&mut symbols, &sites[0]), ["?"]);
    assert_eq!(lines(&mut symbols, &sites[1]), ["enter"]);
    assert_eq!(symbols.warnings(), [""; 0]);
}

#[test]
fn a_stripped_executable_gives_module_and_offset_and_one_warning() {
    let folder = Folder::new();
    let site = folder.shop(&["-s"]);
    let mut symbols = symbols(&[]);
    for _ in 0..3 {
        let frames = symbols.resolve(Some(&site.module), site.address, true);
        assert_eq!(line(&frames[0]), "?");
        assert_eq!(frames[0].offset, site.address - site.module.bias);
    }
    assert_eq!(symbols.warnings().len(), 1);
    assert!(
        symbols.warnings()[0].contains("it is stripped"),
        "{:?}",
        symbols.warnings()
    );
}

#[test]
fn an_address_outside_every_module_is_shown_as_it_is() {
    let frames = symbols(&[]).resolve(None, 0x1234, true);
    assert_eq!(
        (&*frames[0].module, frames[0].offset),
        (UNKNOWN_MODULE, 0x1234)
    );
}
