package dev.sallyport.sandbox.docker;

/// A Perl program that tells what it got for some system calls: 0, or the number of the error.
final class CallProbe {
    static final String SCRIPT =
            """
            use POSIX; my $arm = (POSIX::uname())[4] eq "aarch64";
            sub said { print "$_[0]=", ($_[1] ? 0 : $!+0), " " }
            said("unix", socket(A, 1, 1, 0)); said("inet6", socket(A, 10, 1, 0));
            said("netlink", socket(A, 16, 3, 0)); said("vsock", socket(B, 40, 1, 0));
            said("alg", socket(B, 38, 5, 0)); said("packet", socket(B, 17, 3, 0));
            said("io_uring", syscall(425, 1, 0) != -1);
            said("keyctl", syscall($arm ? 219 : 250, 0, -3, 0) != -1);
            said("clone3", syscall(435, 0, 0) != -1);
            said("unshare", syscall($arm ? 97 : 272, 0x10000000) != -1);
            said("clone", syscall($arm ? 220 : 56, 0x10000011, 0, 0, 0, 0) != -1);
            said("TIOCSTI", syscall($arm ? 29 : 16, 0, 0x5412, 0) != -1);
            said("TIOCSTI+", syscall($arm ? 29 : 16, 0, 0x7_0000_5412, 0) != -1);
            said("TIOCLINUX", syscall($arm ? 29 : 16, 0, 0x541c, 0) != -1);
            said("FIONBIO", syscall($arm ? 29 : 16, 0, 0x5421, 0) != -1);
            said("TIOCGPGRP", syscall($arm ? 29 : 16, 0, 0x540f, 0) != -1);
            """;

    private CallProbe() {}
}
