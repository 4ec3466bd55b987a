//! Links the command against an old glibc.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    aclsan_glibc::link();
}
