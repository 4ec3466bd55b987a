//! Modules of CANN, for which its libraries allocate memory: numbers of `log_types.h`, runtime 681ef761 (CANN 9.2).

/// The name of a module; `None` for numbers that are not listed, and for the program's own.
pub fn name(number: u64) -> Option<&'static str> {
    const NAMES: [(u64, &str); 11] = [
        (0, "SLOG"),
        (3, "HCCL"),
        (4, "FMK"),
        (6, "DVPP"),
        (7, "RUNTIME"),
        (8, "CCE"),
        (9, "HDC"),
        (10, "DRV"),
        (45, "GE"),
        (48, "ASCENDCL"),
        (63, "OP"),
    ];
    let known = NAMES.iter().find(|(known, _)| *known == number);
    known.map(|(_, name)| *name)
}
