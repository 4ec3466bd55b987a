//! Debug information that leads `addr2line` in circles, or so deep that its recursion would overflow the stack.

use super::fixture::{Folder, Site, lines, symbols};

/// Assembly whose `outer` has `depth` nested inlined functions, and prints an address in itself as `recorder.c` expects.
fn nested(depth: usize) -> String {
    let mut text = String::from(
        "\
    .text
    .globl main
    .type main, @function
main:
    push %rbp
    call note
.Lmiddle:
    xor %eax, %eax
    pop %rbp
    ret
.Lend:
    .size main, .Lend - main
    .section .debug_abbrev,\"\",@progbits
    .uleb128 1, 0x11                # DW_TAG_compile_unit, children
    .byte 1
    .uleb128 0x11, 1, 0x12, 7, 0, 0 # low_pc addr, high_pc data8
    .uleb128 2, 0x2e                # DW_TAG_subprogram, children
    .byte 1
    .uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0
    .uleb128 3, 0x1d                # DW_TAG_inlined_subroutine, children
    .byte 1
    .uleb128 0x31, 0x13, 0x11, 1, 0x12, 7, 0, 0 # abstract_origin ref4
    .byte 0
    .section .debug_info,\"\",@progbits
.Lunit:
    .long .Lunit_end - .Lversion
.Lversion:
    .short 4
    .long .debug_abbrev
    .byte 8
    .uleb128 1
    .quad main
    .quad .Lend - main
.Lmain_entry:
    .uleb128 2
    .asciz \"main\"
    .quad main
    .quad .Lend - main
",
    );
    // Each refers to the one around it, and the first to itself: names are circular as well.
    for at in 0..depth {
        let around = at.saturating_sub(1);
        text += &format!(
            ".Lentry{at}:\n    .uleb128 3\n    .long .Lentry{around} - .Lunit\n    .quad main\n    .quad .Lend - main\n"
        );
    }
    text + &format!(
        "    .fill {}, 1, 0\n.Lunit_end:\n    .section .note.GNU-stack,\"\",@progbits\n",
        depth + 2
    )
}

fn built(folder: &Folder, depth: usize) -> Site {
    folder.write("nested.s", nested(depth));
    folder.run("cc", &["-c", "nested.s"]);
    folder.run(
        "cc",
        &[
            "-no-pie",
            "-Wl,--build-id=none",
            "-o",
            "nested",
            "nested.o",
            "recorder.o",
        ],
    );
    folder.sites("nested", &[]).remove(0)
}

#[test]
fn what_compilers_write_is_followed() {
    let folder = Folder::new();
    let site = built(&folder, 40);
    // One frame for each, without a name, and `main` around them.
    assert_eq!(lines(&mut symbols(&[]), &site).len(), 41);
}

#[test]
fn a_hundred_thousand_functions_inlined_into_one_another_do_not_end_the_process() {
    let folder = Folder::new();
    let site = built(&folder, 100_000);
    assert_eq!(lines(&mut symbols(&[]), &site), ["main"]);
}
