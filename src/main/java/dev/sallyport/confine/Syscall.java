package dev.sallyport.confine;

/// System calls that a filter names or that we make, with their numbers.
public enum Syscall {
    ACCT(163, 89, Of.THE_MACHINE),
    ADD_KEY(248, 217),
    ADJTIMEX(159, 171, Of.THE_MACHINE),
    BPF(321, 280, Of.THE_MACHINE),
    CAPSET(126, 91),
    CHROOT(161, 51, Of.THE_MACHINE),
    CLOCK_ADJTIME(305, 266, Of.THE_MACHINE),
    CLOCK_SETTIME(227, 112, Of.THE_MACHINE),
    CLONE(56, 220),
    CLONE3(435, 435),
    CLOSE(3, 57),
    CONNECT(42, 203),
    CREATE_MODULE(174, Of.THE_MACHINE),
    DELETE_MODULE(176, 106, Of.THE_MACHINE),
    EXECVE(59, 221),
    EXECVEAT(322, 281),
    FANOTIFY_INIT(300, 262, Of.THE_MACHINE),
    FCNTL(72, 25),
    FINIT_MODULE(313, 273, Of.THE_MACHINE),
    FORK(57),
    FSCONFIG(431, 431, Of.THE_MACHINE),
    FSMOUNT(432, 432, Of.THE_MACHINE),
    FSOPEN(430, 430, Of.THE_MACHINE),
    FSPICK(433, 433, Of.THE_MACHINE),
    GET_KERNEL_SYMS(177, Of.THE_MACHINE),
    GET_MEMPOLICY(239, 236, Of.THE_MACHINE),
    GETPRIORITY(140, 141),
    INIT_MODULE(175, 105, Of.THE_MACHINE),
    IO_URING_ENTER(426, 426, Of.THE_MACHINE),
    IO_URING_REGISTER(427, 427, Of.THE_MACHINE),
    IO_URING_SETUP(425, 425, Of.THE_MACHINE),
    IOCTL(16, 29),
    IOPERM(173, Of.THE_MACHINE),
    IOPL(172, Of.THE_MACHINE),
    KCMP(312, 272, Of.THE_MACHINE),
    KEXEC_FILE_LOAD(320, 294, Of.THE_MACHINE),
    KEXEC_LOAD(246, 104, Of.THE_MACHINE),
    KEYCTL(250, 219),
    LANDLOCK_ADD_RULE(445, 445),
    LANDLOCK_CREATE_RULESET(444, 444),
    LANDLOCK_RESTRICT_SELF(446, 446),
    LISTEN(50, 201),
    LISTMOUNT(458, 458, Of.THE_MACHINE),
    LOOKUP_DCOOKIE(212, 18, Of.THE_MACHINE),
    MADVISE(28, 233),
    MBIND(237, 235, Of.THE_MACHINE),
    MIGRATE_PAGES(256, 238, Of.THE_MACHINE),
    MOUNT(165, 40, Of.THE_MACHINE),
    MOUNT_SETATTR(442, 442, Of.THE_MACHINE),
    MOVE_MOUNT(429, 429, Of.THE_MACHINE),
    MOVE_PAGES(279, 239, Of.THE_MACHINE),
    NAME_TO_HANDLE_AT(303, 264, Of.THE_MACHINE),
    NFSSERVCTL(180, 42, Of.THE_MACHINE),
    OPEN_BY_HANDLE_AT(304, 265, Of.THE_MACHINE),
    OPEN_TREE(428, 428, Of.THE_MACHINE),
    OPEN_TREE_ATTR(467, 467, Of.THE_MACHINE),
    OPENAT(257, 56),
    PERF_EVENT_OPEN(298, 241, Of.THE_MACHINE),
    PERSONALITY(135, 92),
    PIDFD_GETFD(438, 438, Of.THE_MACHINE),
    PIDFD_OPEN(434, 434),
    PIDFD_SEND_SIGNAL(424, 424),
    PIVOT_ROOT(155, 41, Of.THE_MACHINE),
    PPOLL(271, 73),
    PRCTL(157, 167),
    PRLIMIT64(302, 261),
    PROCESS_MADVISE(440, 440, Of.THE_MACHINE),
    PROCESS_VM_READV(310, 270),
    PROCESS_VM_WRITEV(311, 271),
    PTRACE(101, 117),
    QUERY_MODULE(178, Of.THE_MACHINE),
    QUOTACTL(179, 60, Of.THE_MACHINE),
    QUOTACTL_FD(443, 443, Of.THE_MACHINE),
    REBOOT(169, 142, Of.THE_MACHINE),
    REQUEST_KEY(249, 218),
    SECCOMP(317, 277),
    SENDMMSG(307, 269),
    SENDMSG(46, 211),
    SENDTO(44, 206),
    SET_MEMPOLICY(238, 237, Of.THE_MACHINE),
    SET_MEMPOLICY_HOME_NODE(450, 450, Of.THE_MACHINE),
    SETDOMAINNAME(171, 162, Of.THE_MACHINE),
    SETFSGID(123, 152),
    SETFSUID(122, 151),
    SETGROUPS(116, 159),
    SETHOSTNAME(170, 161, Of.THE_MACHINE),
    SETNS(308, 268),
    SETPRIORITY(141, 140),
    SETSOCKOPT(54, 208),
    SETTIMEOFDAY(164, 170, Of.THE_MACHINE),
    SOCKET(41, 198),
    SOCKETPAIR(53, 199),
    STATMOUNT(457, 457, Of.THE_MACHINE),
    SWAPOFF(168, 225, Of.THE_MACHINE),
    SWAPON(167, 224, Of.THE_MACHINE),
    SYSFS(139, Of.THE_MACHINE),
    SYSLOG(103, 116, Of.THE_MACHINE),
    UMOUNT2(166, 39, Of.THE_MACHINE),
    UNSHARE(272, 97),
    USELIB(134, Of.THE_MACHINE),
    USERFAULTFD(323, 282, Of.THE_MACHINE),
    USTAT(136, Of.THE_MACHINE),
    VFORK(58),
    VHANGUP(153, 58, Of.THE_MACHINE);

    /// A call that a processor does not have: no call has this number.
    static final int ABSENT = -1;

    /// What a call concerns.
    private enum Of {
        /// It changes the machine, its clock, its mounts or its kernel, or has often been the way
        /// into the kernel, such as `io_uring`. Engines refuse most of them too by default.
        THE_MACHINE,
        ITS_CALLER
    }

    private final int x86;
    private final int arm;
    private final Of of;

    Syscall(int x86) {
        this(x86, ABSENT);
    }

    Syscall(int x86, int arm) {
        this(x86, arm, Of.ITS_CALLER);
    }

    Syscall(int x86, Of of) {
        this(x86, ABSENT, of);
    }

    Syscall(int x86, int arm, Of of) {
        this.x86 = x86;
        this.arm = arm;
        this.of = of;
    }

    /// Whether no process that we confine may make it.
    boolean isOfTheMachine() {
        return of == Of.THE_MACHINE;
    }

    int onX86() {
        return x86;
    }

    int onArm() {
        return arm;
    }
}
