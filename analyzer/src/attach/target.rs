//! The process to attach to: whether it can be, and how it sees the shim.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use nix::errno::Errno as TraceErrno;
use nix::unistd::geteuid;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::memory::Memory;
use super::registers::SystemCall;
use crate::run::program::elf::Elf;

/// Folder of the copy in a container that does not see the library.
const COPIES: &str = "tmp";

/// A process that can be attached to, as far as one can tell.
pub struct Target {
    /// Its number here.
    pub pid: i32,
    /// Its memory.
    pub memory: Memory,
    proc: Proc,
}

/// The folder `/proc/PID`, open: it is empty when the process has ended, whoever has its number then.
struct Proc(OwnedFd);

impl Proc {
    fn open(pid: i32) -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(format!("/proc/{pid}"), flags, Mode::empty());
        opened.ok().map(Self)
    }

    fn path(&self, name: &str) -> PathBuf {
        format!("/proc/self/fd/{}/{name}", self.0.as_raw_fd()).into()
    }

    fn status(&self) -> Option<Status> {
        let status = fs::read_to_string(self.path("status")).ok();
        status.map(Status)
    }
}

/// The threads of a process, by what the kernel says of them.
pub struct Threads {
    /// Those that wait in a system call which neither malloc nor the loader makes, the first one first.
    pub waiting: Vec<i32>,
    /// How many there are of which the kernel does not say where they are. They may be anywhere, and are left alone.
    pub hidden: usize,
}

impl Threads {
    fn read(tasks: &Path) -> std::io::Result<Self> {
        let all = fs::read_dir(tasks)?.flatten();
        let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<i32> = all.collect();
        all.sort_unstable();
        let (mut waiting, mut hidden) = (Vec::new(), 0);
        for tid in all {
            let Ok(call) = fs::read_to_string(tasks.join(format!("{tid}/syscall"))) else {
                hidden += 1;
                continue;
            };
            let number = call.split(' ').next();
            let number = number.and_then(|number| number.parse().ok());
            if number.is_some_and(|number| SystemCall(number).is_calm()) {
                waiting.push(tid);
            }
        }
        Ok(Self { waiting, hidden })
    }
}

/// Facts from `/proc/PID/status`.
struct Status(String);

impl Status {
    fn has_ended(&self) -> bool {
        self.value("State").starts_with(['Z', 'X'])
    }

    fn value(&self, key: &str) -> &str {
        let mut lines = self.0.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        value.unwrap_or_default().trim()
    }
}

impl Target {
    /// Checks a process.
    ///
    /// # Errors
    /// If it cannot be attached to; the message says why, and what to do.
    pub fn new(pid: i32) -> anyhow::Result<Self> {
        let proc = Proc::open(pid);
        let known = proc.and_then(|proc| Some((proc.status()?, proc)));
        let Some((status, proc)) = known else {
            bail!("there is no process {pid}");
        };
        if status.has_ended() {
            bail!("process {pid} has ended and only waits for its parent");
        }
        if status.value("State").starts_with(['T', 't']) && status.value("TracerPid") == "0" {
            bail!("process {pid} is stopped: continue it first (`kill -CONT {pid}`)");
        }
        if pid == std::process::id() as i32 {
            bail!("process {pid} is this command");
        }
        let tracer = status.value("TracerPid");
        if !matches!(tracer, "" | "0") {
            let name = fs::read_to_string(format!("/proc/{tracer}/comm")).unwrap_or_default();
            bail!(
                "process {pid} is traced by process {tracer} `{}`: only one can trace it",
                name.trim()
            );
        }
        if status.value("Seccomp") == "1" {
            bail!(
                "process {pid} is under strict seccomp, which allows it no more than to read and write: a library cannot be loaded"
            );
        }
        if status.value("VmSize").is_empty() {
            bail!("process {pid} is a thread of the kernel");
        }
        let memory = match Memory::open(&proc.path("mem")) {
            Ok(memory) => memory,
            Err(error) => bail!("{}", denied(pid, &status, &error.to_string())),
        };
        check_program(pid, &proc.path("exe"))?;
        Ok(Self { pid, memory, proc })
    }

    /// Its mappings.
    ///
    /// # Errors
    /// If it has ended.
    pub fn maps(&self) -> anyhow::Result<String> {
        let maps = fs::read(self.proc.path("maps"));
        let maps = maps.with_context(|| format!("process {} ended meanwhile", self.pid))?;
        Ok(String::from_utf8_lossy(&maps).into_owned())
    }

    /// # Errors
    /// If it has ended.
    pub fn check_alive(&self) -> anyhow::Result<()> {
        match self.proc.status() {
            Some(status) if !status.has_ended() => Ok(()),
            _ => bail!("process {} ended meanwhile", self.pid),
        }
    }

    /// Whether a thread is its own, and not of another process that has the number by now.
    pub fn has_thread(&self, tid: i32) -> bool {
        self.proc.path(&format!("task/{tid}")).exists()
    }

    /// The threads, by what they do.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn threads(&self) -> anyhow::Result<Threads> {
        let threads = Threads::read(&self.proc.path("task"));
        threads.with_context(|| format!("process {} ended meanwhile", self.pid))
    }

    /// Why a thread could not be stopped: a reason to try another one, or to give up.
    ///
    /// # Errors
    /// To give up.
    pub fn explain(&self, error: TraceErrno) -> anyhow::Result<String> {
        match error {
            TraceErrno::ESRCH | TraceErrno::ECHILD => Ok("it has ended".into()),
            TraceErrno::ETIMEDOUT => Ok("it sleeps in the kernel and does not stop".into()),
            TraceErrno::EPERM | TraceErrno::EACCES => {
                let status = self.proc.status().unwrap_or(Status(String::new()));
                bail!("{}", denied(self.pid, &status, error.desc()))
            }
            other => bail!("process {} cannot be stopped: {}", self.pid, other.desc()),
        }
    }

    /// The path under which the process sees the shim: the same, or that of a copy in its container. For a detach it is what is loaded.
    ///
    /// # Errors
    /// If it sees no file, and none can be copied to it; or nothing is loaded.
    pub fn visible(&self, shim: &Path, is_new: bool) -> anyhow::Result<PathBuf> {
        let maps = self.maps()?;
        let loaded = maps.lines().filter_map(super::module::Mapping::parse);
        let name = shim
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let loaded = loaded.map(|mapping| mapping.path);
        if let Some(loaded) = loaded
            .into_iter()
            .find(|path| path.rsplit('/').next() == Some(&name))
        {
            return Ok(loaded.into());
        }
        if !is_new {
            bail!("process {} is not attached to", self.pid);
        }
        let root = self.proc.path("root");
        let below = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
        let own =
            fs::metadata(shim).with_context(|| format!("cannot read `{}`", shim.display()))?;
        let seen = fs::metadata(below(shim));
        if seen.is_ok_and(|seen| (seen.dev(), seen.ino()) == (own.dev(), own.ino())) {
            return Ok(shim.to_owned());
        }
        let folder = format!("aclsan-{}-{}", own.len(), own.mtime());
        let copy = Path::new("/").join(COPIES).join(&folder).join(&name);
        copy_to(shim, &root, &folder, &name).with_context(|| {
            format!(
                "process {} is in another container, where `{}` is not, and it cannot be copied to `{}` there: mount the library in the container",
                self.pid,
                shim.display(),
                copy.display()
            )
        })?;
        Ok(copy)
    }
}

/// Copies the shim to `folder`, which is in `COPIES` below `root`. Nothing on the way may be a link: users of the container could make it lead
/// out of it; nor may the folder be another user's, who could exchange the copy.
fn copy_to(shim: &Path, root: &Path, folder: &str, name: &str) -> anyhow::Result<()> {
    let is_folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = |at: &OwnedFd, name: &str| {
        rustix::fs::openat(at, name, is_folder | OFlags::NOFOLLOW, Mode::empty())
    };
    let root = rustix::fs::open(root, is_folder, Mode::empty())?;
    let parent = open(&root, COPIES)?;
    match rustix::fs::mkdirat(&parent, folder, Mode::from(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let folder = open(&parent, folder)?;
    let facts = rustix::fs::fstat(&folder)?;
    if facts.st_uid != geteuid().as_raw() || facts.st_mode & 0o022 != 0 {
        bail!("others may write to that folder");
    }
    rustix::fs::fchmod(&folder, Mode::from(0o755))?;
    // Under another name first: a process may have mapped an earlier copy.
    let fresh = format!(".{name}-{}", std::process::id());
    let create = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let file = rustix::fs::openat(&folder, &fresh, create | OFlags::CLOEXEC, Mode::from(0o755))?;
    let mut file = fs::File::from(file);
    std::io::copy(&mut fs::File::open(shim)?, &mut file)?;
    rustix::fs::fchmod(&file, Mode::from(0o755))?;
    Ok(rustix::fs::renameat(&folder, &fresh, &folder, name)?)
}

/// Why this user may not trace the process.
fn denied(pid: i32, status: &Status, error: &str) -> String {
    let owner = status.value("Uid").split_whitespace().next();
    let owner = owner.and_then(|uid| uid.parse::<u32>().ok());
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let why = reason(owner, geteuid().as_raw(), scope.trim());
    format!("process {pid} cannot be traced ({error}): {why}")
}

/// Why user `own` may not trace a process of `owner`, where Yama's `ptrace_scope` is `scope`; empty without Yama.
fn reason(owner: Option<u32>, own: u32, scope: &str) -> String {
    match (owner, scope) {
        (Some(owner), _) if own != 0 && owner != own => {
            format!("it belongs to user {owner}: run the command as that user, or as root")
        }
        (_, "3") => "/proc/sys/kernel/yama/ptrace_scope is 3, which allows nobody to trace until the machine is restarted".into(),
        (_, "2") if own != 0 => {
            "/proc/sys/kernel/yama/ptrace_scope is 2: run the command as root".into()
        }
        (_, "1") if own != 0 => "/proc/sys/kernel/yama/ptrace_scope is 1: run the command as root, or `echo 0` there".into(),
        _ if own != 0 => "it has more rights than this user (set-user-id, capabilities): run the command as root".into(),
        _ => "this container lacks the capability SYS_PTRACE: start it with `--cap-add=SYS_PTRACE`, or run the command outside".into(),
    }
}

/// Checks the program: its machine, its loader.
fn check_program(pid: i32, path: &Path) -> anyhow::Result<()> {
    let Some(elf) = Elf::read(path)? else {
        bail!("the program of process {pid} is no ELF file");
    };
    let own = Elf::read(Path::new("/proc/self/exe"))?.unwrap_or_default();
    if (elf.bits, elf.machine) != (own.bits, own.machine) {
        bail!(
            "process {pid} is a {} program, and this command is for {}",
            elf.kind(),
            own.kind()
        );
    }
    match elf.interpreter {
        None => bail!(
            "the program of process {pid} is statically linked: no library can be loaded into it"
        ),
        Some(loader) if loader.contains("musl") => bail!(
            "process {pid} runs with musl (`{loader}`), and the library is for glibc, as is CANN"
        ),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use nix::libc;

    use super::*;

    #[test]
    fn threads_of_which_the_kernel_says_nothing_are_left_alone() {
        let tasks = std::env::temp_dir().join(format!("aclsan-threads-{}", std::process::id()));
        let within = |call| Some(format!("{call} 0x0 0x7ffd 0x7f00\n"));
        for (tid, says) in [
            (12, within(libc::SYS_read)),
            (11, within(libc::SYS_read)),
            (13, Some("running\n".to_owned())),
            (14, within(libc::SYS_brk)),
            (15, None),
        ] {
            let folder = tasks.join(tid.to_string());
            fs::create_dir_all(&folder).expect("a folder");
            if let Some(says) = says {
                fs::write(folder.join("syscall"), says).expect("a file");
            }
        }
        let threads = Threads::read(&tasks).expect("a folder");
        fs::remove_dir_all(&tasks).expect("ours");
        assert_eq!((threads.waiting, threads.hidden), (vec![11, 12], 1));
    }

    #[test]
    fn a_process_that_has_ended_is_gone_whoever_has_its_number() {
        let mut command = std::process::Command::new("cat");
        let mut child = command.stdin(Stdio::piped()).spawn().expect("cat starts");
        let pid = child.id() as i32;
        let target = Target::new(pid).expect("our own child");
        assert!(target.check_alive().is_ok() && target.has_thread(pid));
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert!(target.check_alive().is_err() && !target.has_thread(pid));
        assert!(target.threads().is_err() && target.maps().is_err());
    }

    #[test]
    fn a_refusal_names_what_refuses_and_what_helps() {
        let user = Some(1000);
        for (owner, own, scope, words) in [
            (
                user,
                1000,
                "1",
                "ptrace_scope is 1: run the command as root, or `echo 0`",
            ),
            (
                user,
                1000,
                "2",
                "ptrace_scope is 2: run the command as root",
            ),
            (user, 1000, "3", "ptrace_scope is 3, which allows nobody"),
            (user, 0, "3", "ptrace_scope is 3, which allows nobody"),
            (user, 1001, "1", "it belongs to user 1000"),
            (user, 1000, "0", "it has more rights than this user"),
            (user, 1000, "", "it has more rights than this user"),
            (user, 0, "2", "SYS_PTRACE"),
            (user, 0, "", "SYS_PTRACE"),
        ] {
            let why = reason(owner, own, scope);
            assert!(why.contains(words), "{own} {scope}: {why}");
        }
    }
}
