//! Where the first argument of a call came from, by the instruction before the call that sets it: a register that calls preserve, a place
//! on the stack, a variable. All of these still have it when the call does not return.
//!
//! Only what compilers write immediately before a call is recognized. On x86-64, bytes are read backwards, and may be the end of another
//! instruction: the value is a candidate to be checked.

/// Where a value is. Registers have their numbers in DWARF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a register.
    Register(u16),
    /// In memory, so far from what a register has.
    Memory(u16, i64),
    /// In memory, so far from the return address.
    Variable(i64),
}

/// Bytes of code before a return address that are looked at.
pub const BYTES: usize = 24;

/// The place, by the code before the address to which the call returns.
pub fn first(code: &[u8; BYTES]) -> Option<Place> {
    match cfg!(target_arch = "aarch64") {
        true => aarch64(code),
        false => x86_64(code),
    }
}

const RAX: u8 = 0;
const RSP: u16 = 7;
const RBP: u16 = 6;

fn x86_64(code: &[u8; BYTES]) -> Option<Place> {
    let call = match code {
        [.., 0xe8, _, _, _, _] => 5,
        [.., 0xff, 0x15, _, _, _, _] => 6,
        _ => return None,
    };
    let before = &code[..BYTES - call];
    match *before {
        // mov rdi, rax, after rax was loaded
        [.., 0x48, 0x89, 0xc7] => load(&before[..before.len() - 3], RAX, call + 3),
        // mov rdi, r
        [.., 0x48, 0x89, 0xdf] => Some(Place::Register(3)),
        [.., 0x48, 0x89, 0xef] => Some(Place::Register(RBP)),
        [.., 0x4c, 0x89, 0xe7] => Some(Place::Register(12)),
        [.., 0x4c, 0x89, 0xef] => Some(Place::Register(13)),
        [.., 0x4c, 0x89, 0xf7] => Some(Place::Register(14)),
        [.., 0x4c, 0x89, 0xff] => Some(Place::Register(15)),
        _ => load(before, 7, call),
    }
}

/// A load of the register with this number in instructions, that many bytes before the return address.
fn load(before: &[u8], register: u8, after: usize) -> Option<Place> {
    let modes = |mode: u8, base: u8| mode << 6 | register << 3 | base;
    let wide = |bytes: [u8; 4]| i64::from(i32::from_le_bytes(bytes));
    match *before {
        // [rbp + d8], [rsp + d8], [rsp]
        [.., 0x48, 0x8b, mode, d] if mode == modes(1, 5) => {
            Some(Place::Memory(RBP, i64::from(d.cast_signed())))
        }
        [.., 0x48, 0x8b, mode, 0x24, d] if mode == modes(1, 4) => {
            Some(Place::Memory(RSP, i64::from(d.cast_signed())))
        }
        [.., 0x48, 0x8b, mode, 0x24] if mode == modes(0, 4) => Some(Place::Memory(RSP, 0)),
        // [rbp + d32], [rsp + d32], [rip + d32]
        [.., 0x48, 0x8b, mode, a, b, c, d] if mode == modes(2, 5) => {
            Some(Place::Memory(RBP, wide([a, b, c, d])))
        }
        [.., 0x48, 0x8b, mode, 0x24, a, b, c, d] if mode == modes(2, 4) => {
            Some(Place::Memory(RSP, wide([a, b, c, d])))
        }
        [.., 0x48, 0x8b, mode, a, b, c, d] if mode == modes(0, 5) => {
            Some(Place::Variable(wide([a, b, c, d]) - after as i64))
        }
        _ => None,
    }
}

fn aarch64(code: &[u8; BYTES]) -> Option<Place> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| code[at + byte]));
    let call = word(BYTES - 4);
    let (is_direct, is_indirect) = (call >> 26 == 0b10_0101, call & 0xffff_fc1f == 0xd63f_0000);
    if !is_direct && !is_indirect {
        return None;
    }
    let before = word(BYTES - 8);
    let field = |low: u32, bits: u32| before >> low & ((1 << bits) - 1);
    match () {
        // mov x0, x19
        () if before & 0xffe0_ffff == 0xaa00_03e0 => Some(Place::Register(field(16, 5) as u16)),
        // ldr x0, [x29, #8]; register 31 is the stack pointer there, as in DWARF
        () if before & 0xffc0_001f == 0xf940_0000 => Some(Place::Memory(
            field(5, 5) as u16,
            i64::from(field(10, 12)) * 8,
        )),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(of: fn(&[u8; BYTES]) -> Option<Place>, end: &[u8]) -> Option<Place> {
        let mut code = [0x90; BYTES];
        code[BYTES - end.len()..].copy_from_slice(end);
        of(&code)
    }

    #[test]
    fn what_compilers_write_before_a_call_is_recognized() {
        let x86 = |end: &[u8]| of(x86_64, end);
        let call = [0xe8, 1, 2, 3, 4];
        let with = |before: &[u8]| x86(&[before, &call].concat());
        assert_eq!(with(&[0x48, 0x89, 0xdf]), Some(Place::Register(3)));
        assert_eq!(with(&[0x4c, 0x89, 0xff]), Some(Place::Register(15)));
        assert_eq!(
            with(&[0x48, 0x8b, 0x7d, 0xf8]),
            Some(Place::Memory(RBP, -8))
        );
        assert_eq!(
            with(&[0x48, 0x8b, 0x7c, 0x24, 0x18]),
            Some(Place::Memory(RSP, 24))
        );
        assert_eq!(with(&[0x48, 0x8b, 0x3c, 0x24]), Some(Place::Memory(RSP, 0)));
        // Without optimization: mov rax, [rbp - 16]; mov rdi, rax
        assert_eq!(
            with(&[0x48, 0x8b, 0x45, 0xf0, 0x48, 0x89, 0xc7]),
            Some(Place::Memory(RBP, -16))
        );
        // mov rdi, [rip + 0x100]; the next instruction is the call
        assert_eq!(
            with(&[0x48, 0x8b, 0x3d, 0, 1, 0, 0]),
            Some(Place::Variable(0x100 - 5))
        );
        assert_eq!(
            x86(&[0x48, 0x89, 0xef, 0xff, 0x15, 0, 0, 0, 0]),
            Some(Place::Register(RBP))
        );
        assert_eq!(with(&[0x48, 0x89, 0xf7]), None, "rsi is not preserved");
        assert_eq!(x86(&[0x48, 0x89, 0xdf, 0x90]), None, "no call");
    }

    #[test]
    fn and_on_the_other_processor() {
        let arm = |words: [u32; 2]| of(aarch64, &words.map(u32::to_le_bytes).concat());
        let bl = 0x9400_0010;
        assert_eq!(arm([0xaa13_03e0, bl]), Some(Place::Register(19)));
        assert_eq!(arm([0xf940_0fe0, bl]), Some(Place::Memory(31, 24)));
        assert_eq!(arm([0xf940_0fa0, 0xd63f_0020]), Some(Place::Memory(29, 24)));
        assert_eq!(arm([0xaa13_03e1, bl]), None, "another argument");
        assert_eq!(arm([0xaa13_03e0, 0xd503_201f]), None, "no call");
    }
}
