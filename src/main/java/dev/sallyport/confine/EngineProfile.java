package dev.sallyport.confine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Writes rules as the seccomp profile that container engines take, with names for calls.
///
/// A profile replaces the engine's own, which nobody can ask the engine for. So it is no weaker:
/// only what is listed here is allowed, for this processor's own calls. 32-bit programs would have
/// `socketcall`, whose arguments no filter sees, and are killed, as bubblewrap's are.
///
/// A name that an older engine does not know is skipped by it and stays refused. One that is too
/// old to know `errnoRet` (before 20.10.10) refuses with `EPERM`.
final class EngineProfile {
    private static final String REFUSE = "SCMP_ACT_ERRNO";
    private static final String ALLOW = "SCMP_ACT_ALLOW";
    private static final int INT_BITS = 32;

    /// What every container may call without a capability, according to Docker's profile of 2026.
    /// What the rules name is taken off.
    private static final Set<String> USUAL =
            Set.of(
                    """
            accept accept4 access alarm arch_prctl bind brk cachestat capget capset
            chdir chmod chown clock_getres clock_gettime clock_nanosleep close
            close_range connect copy_file_range creat dup dup2 dup3 epoll_create
            epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
            epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat
            faccessat2 fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat
            fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork
            fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue
            futex_wait futex_waitv futex_wake futimesat get_robust_list get_thread_area
            getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer
            getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid
            getresuid getrlimit getrusage getsid getsockname getsockopt gettid
            gettimeofday getuid getxattr getxattrat inotify_add_watch inotify_init
            inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents
            io_pgetevents io_setup io_submit ioprio_get ioprio_set kill
            landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown
            lgetxattr link linkat listen listxattr listxattrat llistxattr lremovexattr
            lseek lsetxattr lstat madvise map_shadow_stack membarrier memfd_create
            memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap
            modify_ldt mprotect mq_getsetattr mq_notify mq_open mq_timedreceive
            mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync
            munlock munlockall munmap nanosleep newfstatat open openat openat2 pause
            pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect
            poll ppoll prctl pread64 preadv preadv2 prlimit64 process_mrelease
            process_vm_readv process_vm_writev pselect6 ptrace pwrite64 pwritev pwritev2
            read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
            remap_file_pages removexattr removexattrat rename renameat renameat2
            restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
            rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
            sched_get_priority_max sched_get_priority_min sched_getaffinity
            sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
            sched_setaffinity sched_setattr sched_setparam sched_setscheduler
            sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg
            sendmsg sendto set_robust_list set_thread_area set_tid_address setfsgid
            setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid
            setresuid setreuid setrlimit setsid setsockopt setuid setxattr setxattrat
            shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 socketpair
            splice stat statfs statx symlink symlinkat sync sync_file_range
            sync_file_range2 syncfs sysinfo tee tgkill time timer_create timer_delete
            timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
            timerfd_settime times tkill truncate umask uname unlink unlinkat uretprobe
            utime utimensat utimes vfork vmsplice wait4 waitid write writev
            """
                            .strip()
                            .split("\\s+"));

    /// An argument, of which some bits have one value.
    private record Masked(int argument, int mask, int value) {
        /// The engine calls the mask `value`.
        String json() {
            return "[{\"index\":%d,\"value\":%d,\"valueTwo\":%d,\"op\":\"SCMP_CMP_MASKED_EQ\"}]"
                    .formatted(
                            argument, Integer.toUnsignedLong(mask), Integer.toUnsignedLong(value));
        }
    }

    private final Set<String> allowed = new TreeSet<>(USUAL);
    private final List<String> entries = new ArrayList<>();

    private EngineProfile() {}

    static String of(List<CallRule> rules) {
        var profile = new EngineProfile();
        rules.forEach(profile::add);
        profile.entries.add(entry(profile.allowed, ALLOW, ""));
        return "{\"defaultAction\":\"%s\",\"architectures\":[\"%s\"],\"syscalls\":[%s]}"
                .formatted(
                        REFUSE,
                        Processor.current().engineName(),
                        String.join(",", profile.entries));
    }

    private void add(CallRule rule) {
        switch (rule) {
            case CallRule.Refuse(Errno error, List<Syscall> calls) -> refuse(error, calls);
            case CallRule.Only(Syscall call, int argument, List<Integer> values, Errno _) ->
                    values.forEach(value -> allow(call, new Masked(argument, ~0, value)));
            case CallRule.Except(Syscall call, int argument, List<Integer> values, Errno _) ->
                    besides(argument, values).forEach(masked -> allow(call, masked));
            case CallRule.Bits(Syscall call, int argument, int mask, int wanted, Errno _) ->
                    allow(call, new Masked(argument, mask, wanted));
        }
    }

    /// What is not allowed fails with `EPERM` anyway.
    private void refuse(Errno error, List<Syscall> calls) {
        Set<String> names = calls.stream().map(EngineProfile::name).collect(Collectors.toSet());
        allowed.removeAll(names);
        if (error != Errno.EPERM) {
            entries.add(entry(new TreeSet<>(names), REFUSE, ",\"errnoRet\":" + error.number()));
        }
    }

    /// Entries for one call are alternatives.
    private void allow(Syscall call, Masked condition) {
        allowed.remove(name(call));
        entries.add(entry(Set.of(name(call)), ALLOW, ",\"args\":" + condition.json()));
    }

    /// All numbers but these. A profile can say that bits are equal, but has no two comparisons of
    /// one argument. So this is every beginning, in bits, that none of the numbers has.
    private static Set<Masked> besides(int argument, List<Integer> numbers) {
        Set<Masked> others = new LinkedHashSet<>();
        for (int number : numbers) {
            for (int bit = INT_BITS - 1; bit >= 0; bit--) {
                int mask = ~0 << bit;
                int beginning = (number ^ 1 << bit) & mask;
                if (numbers.stream().noneMatch(one -> (one & mask) == beginning)) {
                    others.add(new Masked(argument, mask, beginning));
                }
            }
        }
        return others;
    }

    private static String entry(Set<String> names, String action, String rest) {
        return "{\"names\":[%s],\"action\":\"%s\"%s}"
                .formatted(
                        names.stream()
                                .map(name -> '"' + name + '"')
                                .collect(Collectors.joining(",")),
                        action,
                        rest);
    }

    private static String name(Syscall call) {
        return call.name().toLowerCase(Locale.ROOT);
    }
}
