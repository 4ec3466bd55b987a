//! Links it as the shim is linked: against an old glibc, and for good once it is loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-undefined");
    aclsan_glibc::link();
}
