//! Links it like the shim: against an old glibc, and never to be unloaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-undefined");
    aclsan_glibc::link();
}
