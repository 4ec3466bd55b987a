//! The libraries of each topology: their sources and what they need.

/// One shared library: a folder of sources, or single files.
pub struct Library {
    pub file: &'static str,
    pub sources: &'static [&'static str],
    pub needs: &'static [&'static str],
}

const fn library(
    file: &'static str,
    sources: &'static [&'static str],
    needs: &'static [&'static str],
) -> Library {
    Library {
        file,
        sources,
        needs,
    }
}

const DVPP: &[&str] = &[
    "media/dvpp.c",
    "media/planes.c",
    "media/frames.c",
    "media/picture",
    "absent/venc.c",
    "absent/media.c",
];
const DVPP_MPI: &[&str] = &[
    "media/mpi.c",
    "media/mpi_vpc.c",
    "media/mpi_vb.c",
    "media/mpi_vdec.c",
    "media/planes.c",
    "media/frames.c",
    "media/picture/jpeg_decode.c",
    "media/picture/jpeg_tables.c",
];
/// The legacy HiAI Matrix: C++, without AscendCL.
const MATRIX: &[&str] = &["hiai"];
const OP_COMPILER: &[&str] = &["compute/apart/op_compiler.c"];
const CBLAS: &[&str] = &["compute/apart/cblas.c"];
const NNOPBASE: &[&str] = &["aclnn/base"];
const OPAPI: &[&str] = &[
    "aclnn/operators",
    "aclnn/engine",
    "aclnn/doors",
    "compute/element.c",
    "compute/recurrent.c",
];
const HCCL: &[&str] = &["hccl", "compute/element.c"];
/// torch_npu looks groups of messages up in this one.
const HCOMM: Library = library("libhcomm.so", &["absent/hcomm.c"], &["libhccl.so"]);
/// Libraries that are there so that programs which link them start.
const ABSENT: &[Library] = &[
    library("libacl_tdt_channel.so", &["absent/tdt_channel.c"], &[]),
    library("libacl_tdt_queue.so", &["absent/tdt_queue.c"], &[]),
    library("libmsprofiler.so", &["absent/profiler.c"], &[]),
    library("libprofapi.so", &["absent/profapi.c"], &[]),
    library("libascend_dump.so", &["absent/dump.c"], &[]),
    // C++, of which the C file takes the place where there is no compiler for it.
    library("libgraph.so", &["absent/ge_runner.c", "absent/graph"], &[]),
    library("libplatform.so", &["absent/linked.c"], &[]),
    library("libc_sec.so", &["absent/linked.c"], &[]),
    library("libge_compiler.so", &["absent/linked.c"], &[]),
    library("libopsproto.so", &["absent/linked.c"], &[]),
    library("libascend_hal.so", &["absent/ascend_hal.c"], &[]),
    library("libms_tools_ext.so", &["absent/ms_tools_ext.c"], &[]),
    library("libascend_kernel_hook.so", &["absent/kernel_hook.c"], &[]),
];
/// What torch_npu links, and reaches the runtime's lower interfaces through.
const GE_RUNNER: Library = library(
    "libge_runner.so",
    &["absent/ge_runner.c"],
    &["libprofapi.so", "libruntime.so"],
);
/// C++, since the interface that it replaces has C++ classes.
const ONNX_PARSER: &[&str] = &["compute/apart/graph_engine.cpp"];

/// The libraries of a stage depend only on those of earlier stages.
const SINGLE: &[&[Library]] = &[
    ABSENT,
    &[
        library(
            "libascendcl.so",
            &["engine", "public", "compute", "om", "aclsim.c"],
            &[],
        ),
        library("libmatrixdaemon.so", MATRIX, &[]),
        library("libruntime.so", &["absent/runtime.c"], &[]),
    ],
    &[
        GE_RUNNER,
        library("libacl_dvpp.so", DVPP, &["libascendcl.so"]),
        library("libacl_dvpp_mpi.so", DVPP_MPI, &["libascendcl.so"]),
        library("libacl_op_compiler.so", OP_COMPILER, &["libascendcl.so"]),
        library("libacl_cblas.so", CBLAS, &["libascendcl.so"]),
        library("libfmk_onnx_parser.so", ONNX_PARSER, &["libascendcl.so"]),
        library("libnnopbase.so", NNOPBASE, &["libascendcl.so"]),
        library("libhccl.so", HCCL, &["libascendcl.so"]),
    ],
    &[
        HCOMM,
        library("libopapi.so", OPAPI, &["libnnopbase.so", "libascendcl.so"]),
    ],
];
const SPLIT: &[&[Library]] = &[
    ABSENT,
    &[
        library("libruntime.so", &["engine", "absent/runtime.c"], &[]),
        library("libmatrixdaemon.so", MATRIX, &[]),
    ],
    &[
        GE_RUNNER,
        library("libacl_rt_impl.so", &["public"], &["libruntime.so"]),
        library("libacl_dvpp_mpi.so", DVPP_MPI, &["libruntime.so"]),
    ],
    &[
        library("libacl_rt.so", &["forward.c"], &["libacl_rt_impl.so"]),
        library(
            "libascendcl.so",
            &["forward.c", "compute", "om", "aclsim.c"],
            &["libacl_rt_impl.so", "libruntime.so"],
        ),
        library(
            "libacl_dvpp.so",
            DVPP,
            &["libacl_rt_impl.so", "libruntime.so"],
        ),
    ],
    &[
        library(
            "libacl_op_compiler.so",
            OP_COMPILER,
            &["libascendcl.so", "libruntime.so"],
        ),
        library(
            "libacl_cblas.so",
            CBLAS,
            &["libascendcl.so", "libacl_rt_impl.so", "libruntime.so"],
        ),
        library("libfmk_onnx_parser.so", ONNX_PARSER, &["libascendcl.so"]),
        library(
            "libnnopbase.so",
            NNOPBASE,
            &["libascendcl.so", "libacl_rt_impl.so", "libruntime.so"],
        ),
        library(
            "libhccl.so",
            HCCL,
            &["libascendcl.so", "libacl_rt_impl.so", "libruntime.so"],
        ),
    ],
    &[
        HCOMM,
        library(
            "libopapi.so",
            OPAPI,
            &["libnnopbase.so", "libascendcl.so", "libruntime.so"],
        ),
    ],
];

const MERGED: &[&[Library]] = &[
    ABSENT,
    &[
        library(
            "libruntime.so",
            &["engine", "public", "absent/runtime.c"],
            &[],
        ),
        library("libmatrixdaemon.so", MATRIX, &[]),
    ],
    &[
        GE_RUNNER,
        library("libacl_rt_impl.so", &["stub.c"], &[]),
        library("libacl_rt.so", &["forward.c"], &["libruntime.so"]),
        library(
            "libascendcl.so",
            &["forward.c", "compute", "om", "aclsim.c"],
            &["libruntime.so"],
        ),
        library("libacl_dvpp.so", DVPP, &["libruntime.so"]),
        library("libacl_dvpp_mpi.so", DVPP_MPI, &["libruntime.so"]),
    ],
    &[
        library(
            "libacl_op_compiler.so",
            OP_COMPILER,
            &["libascendcl.so", "libruntime.so"],
        ),
        library(
            "libacl_cblas.so",
            CBLAS,
            &["libascendcl.so", "libruntime.so"],
        ),
        library("libfmk_onnx_parser.so", ONNX_PARSER, &["libascendcl.so"]),
        library(
            "libnnopbase.so",
            NNOPBASE,
            &["libascendcl.so", "libruntime.so"],
        ),
        library("libhccl.so", HCCL, &["libascendcl.so", "libruntime.so"]),
    ],
    &[
        HCOMM,
        library(
            "libopapi.so",
            OPAPI,
            &["libnnopbase.so", "libascendcl.so", "libruntime.so"],
        ),
    ],
];

/// A topology.
pub struct Shape {
    /// Where its libraries are.
    pub folder: &'static str,
    pub stages: &'static [&'static [Library]],
    /// What its sources are compiled with. See [`super::objects`].
    pub macros: &'static [&'static str],
    /// What its libraries are linked with.
    pub link: &'static [&'static str],
}

pub const SHAPES: [Shape; 4] = [
    Shape {
        folder: "lib",
        stages: SINGLE,
        macros: &["-DACLSIM_CANN=80300"],
        link: &[],
    },
    Shape {
        folder: "old/lib",
        stages: SINGLE,
        macros: &["-DACLSIM_CANN=80100"],
        link: &["-Wl,--version-script=simulator/after_8_1.map"],
    },
    Shape {
        folder: "split/lib",
        stages: SPLIT,
        macros: &["-DACLSIM_SPLIT", "-DACLSIM_CANN=90100"],
        link: &[],
    },
    Shape {
        folder: "merged/lib",
        stages: MERGED,
        macros: &["-DACLSIM_SPLIT", "-DACLSIM_CANN=90200"],
        link: &[],
    },
];
