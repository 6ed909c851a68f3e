package dev.sallyport.confine;

/// System calls that a filter names or that we make, with their numbers.
public enum Syscall {
    ACCT(163, 89),
    ADD_KEY(248, 217),
    ADJTIMEX(159, 171),
    BPF(321, 280),
    CAPSET(126, 91),
    CHROOT(161, 51),
    CLOCK_ADJTIME(305, 266),
    CLOCK_SETTIME(227, 112),
    CLONE(56, 220),
    CLONE3(435, 435),
    CLOSE(3, 57),
    CONNECT(42, 203),
    CREATE_MODULE(174),
    DELETE_MODULE(176, 106),
    EXECVE(59, 221),
    EXECVEAT(322, 281),
    FANOTIFY_INIT(300, 262),
    FCNTL(72, 25),
    FINIT_MODULE(313, 273),
    FORK(57),
    FSCONFIG(431, 431),
    FSMOUNT(432, 432),
    FSOPEN(430, 430),
    FSPICK(433, 433),
    GET_KERNEL_SYMS(177),
    GET_MEMPOLICY(239, 236),
    GETPRIORITY(140, 141),
    INIT_MODULE(175, 105),
    IO_URING_ENTER(426, 426),
    IO_URING_REGISTER(427, 427),
    IO_URING_SETUP(425, 425),
    IOCTL(16, 29),
    IOPERM(173),
    IOPL(172),
    KCMP(312, 272),
    KEXEC_FILE_LOAD(320, 294),
    KEXEC_LOAD(246, 104),
    KEYCTL(250, 219),
    LANDLOCK_ADD_RULE(445, 445),
    LANDLOCK_CREATE_RULESET(444, 444),
    LANDLOCK_RESTRICT_SELF(446, 446),
    LISTEN(50, 201),
    LISTMOUNT(458, 458),
    LOOKUP_DCOOKIE(212, 18),
    MADVISE(28, 233),
    MBIND(237, 235),
    MIGRATE_PAGES(256, 238),
    MOUNT(165, 40),
    MOUNT_SETATTR(442, 442),
    MOVE_MOUNT(429, 429),
    MOVE_PAGES(279, 239),
    NAME_TO_HANDLE_AT(303, 264),
    NFSSERVCTL(180, 42),
    OPEN_BY_HANDLE_AT(304, 265),
    OPEN_TREE(428, 428),
    OPEN_TREE_ATTR(467, 467),
    OPENAT(257, 56),
    PERF_EVENT_OPEN(298, 241),
    PERSONALITY(135, 92),
    PIDFD_GETFD(438, 438),
    PIDFD_OPEN(434, 434),
    PIDFD_SEND_SIGNAL(424, 424),
    PIVOT_ROOT(155, 41),
    PPOLL(271, 73),
    PRCTL(157, 167),
    PRLIMIT64(302, 261),
    PROCESS_MADVISE(440, 440),
    PROCESS_VM_READV(310, 270),
    PROCESS_VM_WRITEV(311, 271),
    PTRACE(101, 117),
    QUERY_MODULE(178),
    QUOTACTL(179, 60),
    QUOTACTL_FD(443, 443),
    REBOOT(169, 142),
    REQUEST_KEY(249, 218),
    SECCOMP(317, 277),
    SENDMMSG(307, 269),
    SENDMSG(46, 211),
    SENDTO(44, 206),
    SET_MEMPOLICY(238, 237),
    SET_MEMPOLICY_HOME_NODE(450, 450),
    SETDOMAINNAME(171, 162),
    SETFSGID(123, 152),
    SETFSUID(122, 151),
    SETGROUPS(116, 159),
    SETHOSTNAME(170, 161),
    SETNS(308, 268),
    SETPRIORITY(141, 140),
    SETSOCKOPT(54, 208),
    SETTIMEOFDAY(164, 170),
    SOCKET(41, 198),
    SOCKETPAIR(53, 199),
    STATMOUNT(457, 457),
    SWAPOFF(168, 225),
    SWAPON(167, 224),
    SYSFS(139),
    SYSLOG(103, 116),
    UMOUNT2(166, 39),
    UNSHARE(272, 97),
    USELIB(134),
    USERFAULTFD(323, 282),
    USTAT(136),
    VFORK(58),
    VHANGUP(153, 58);

    /// A call that a processor does not have: no call has this number.
    static final int ABSENT = -1;

    private final int x86;
    private final int arm;

    Syscall(int x86) {
        this(x86, ABSENT);
    }

    Syscall(int x86, int arm) {
        this.x86 = x86;
        this.arm = arm;
    }

    int onX86() {
        return x86;
    }

    int onArm() {
        return arm;
    }
}
