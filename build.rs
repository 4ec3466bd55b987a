//! The shim's build script: bindings, a check against an installed toolkit, link arguments.
//!
//! * By default the checked-in `shim/abi/bindings.rs` is used: machines without libclang build.
//! * Feature `buildtime_bindgen` generates them from `shim/abi/abi.h`; `tests/scenarios/bindings.rs` compares the two.
//! * `ACLSAN_CANN_INCLUDE=<toolkit>/include` compiles `shim/abi/prototypes.cpp` against that toolkit's own headers: a prototype of
//!   ours that differs from the vendor's fails the build, and the compiler names it.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=shim/abi");
    println!("cargo::rerun-if-env-changed=ACLSAN_CANN_INCLUDE");
    // Our hooks and thread-local destructors must outlive any dlclose.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    // Our tables mean our own exports, also where a preload before ours has some of the same names.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-Bsymbolic-functions");
    // Linked against the interface of an old glibc; what is undefined in it fails here, not on somebody's machine.
    aclsan_glibc::link();
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-undefined");
    // libc's own `dlsym`, behind ours: before 2.34 it is in a library that a program need not have.
    println!("cargo::rustc-link-arg-cdylib=-Wl,--push-state,--no-as-needed,-ldl,--pop-state");
    if let Ok(include) = std::env::var("ACLSAN_CANN_INCLUDE") {
        check_prototypes(&include);
    }
    #[cfg(feature = "buildtime_bindgen")]
    bind();
}

fn check_prototypes(include: &str) {
    if !Path::new(include).join("acl/acl.h").is_file() {
        panic!(
            "ACLSAN_CANN_INCLUDE is `{include}`, but there is no acl/acl.h in it: give the toolkit's `include` folder"
        );
    }
    println!("cargo::rerun-if-env-changed=CXX");
    println!("cargo::rerun-if-changed={include}");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let check = || {
        let mut command = Command::new(&compiler);
        command.args(["-fsyntax-only", "-DENABLE_DVPP_INTERFACE", "-I", include]);
        command
    };
    let mut prototypes = check();
    prototypes.arg("shim/abi/prototypes.cpp");
    // Toolkits before CANN 8.1 have no allocation with a configuration.
    let mut probe = check();
    probe.arg("shim/abi/malloc_config.cpp");
    if probe.output().is_ok_and(|output| !output.status.success()) {
        prototypes.arg("-DLACKS_MALLOC_CONFIG");
    }
    match prototypes.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "our prototypes differ from the headers in `{include}`:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => panic!(
            "cannot run `{compiler}` ({error}): ACLSAN_CANN_INCLUDE needs a C++ compiler; set CXX"
        ),
    }
}

#[cfg(feature = "buildtime_bindgen")]
fn bind() {
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("bindings.rs");
    bindgen::Builder::default()
        .header("shim/abi/abi.h")
        .clang_arg("-Ishim/abi/include")
        .allowlist_function(
            "acl(rt|Init|Finalize|mdlRI).*|hi_mpi_dvpp_(malloc|free)|\
            acldvpp(Malloc.*|Free|(Create|Destroy).*|Vpc.*|(Jpeg|Png).*codeAsync)|aclvdec.*Frame|aclv(dec|enc)(Create|Destroy).*|\
            acldvppGet(Pic|Stream)Desc.*|hi_mpi_(vb|vpc|vdec)_.*|HIAI_.*|_ZN4hiai.*|\
            rts?(Malloc|Free|(Stream|Device|Event)Synchronize).*|rtMemAlloc",
        )
        .allowlist_function(
            "acl.*DataBuffer.*|aclmdl.*|aclop(Compile|Execute|ExecWithHandle|Cast|Create|Destroy).*",
        )
        .allowlist_function(
            "acl(Create|Destroy|Init)(Tensor|Scalar).*|acl(Create|Destroy).*Array|[aA]clSet.*TensorAddr|acl.*AclOpExecutor.*|\
            aclnn.*GetWorkspaceSize",
        )
        .allowlist_function("_Z.*|PTA.*|InitPTACacheThreadLocal|AddTensorAddrToCachedList|Nnopbase.*|Hccl.*")
        .allowlist_type("aclmdlConfigAttr|HcclDataType")
        .allowlist_var("ACL_MDL_.*")
        .allowlist_function("mstx.*|InitInjectionMstx")
        .allowlist_type("mstx.*")
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .generate_comments(false)
        .layout_tests(true)
        .rust_target(bindgen::RustTarget::stable(85, 0).expect("a released version"))
        .rust_edition(bindgen::RustEdition::Edition2024)
        .generate()
        .expect("bindgen reads shim/abi/abi.h")
        .write_to_file(out)
        .expect("OUT_DIR can be written");
}
