package dev.sallyport.confine;

import static dev.sallyport.confine.Syscall.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Which system calls are left to whom. A filter is inherited by every descendant and cannot be
/// taken off.
public final class SyscallFilter {
    private static final int CLONE_NEWUSER = 0x10000000;

    /// `CLONE_NEW…` for mount, cgroup, uts, ipc, user, pid and network namespaces. The one for time
    /// namespaces lies where `clone` keeps a signal, so `clone` cannot make them.
    private static final int CLONE_NAMESPACES =
            0x00020000
                    | 0x02000000
                    | 0x04000000
                    | 0x08000000
                    | CLONE_NEWUSER
                    | 0x20000000
                    | 0x40000000;

    private static final int CLONE_THREAD = 0x00010000;

    /// `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`. No namespace contains `AF_VSOCK`, which
    /// leads to the host of a virtual machine; the others are large and seldom looked at.
    private static final List<Integer> SOCKET_FAMILIES = List.of(1, 2, 10, 16);

    private static final int AF_UNIX = 1;

    /// `TIOCSTI` types into a terminal; `TIOCLINUX` pastes into a console.
    private static final List<Integer> TERMINAL_TRICKS = List.of(0x5412, 0x541c);

    /// `PER_LINUX`, `PER_LINUX32`, `UNAME26` and both, and the question.
    private static final List<Integer> PERSONALITIES =
            List.of(0x0, 0x8, 0x20000, 0x20008, 0xffffffff);

    /// Keys belong to a person, not to a namespace, and `request_key` makes the kernel run a
    /// program on the host.
    private static final List<Syscall> KEYS = List.of(ADD_KEY, REQUEST_KEY, KEYCTL);

    private static final List<Syscall> OF_THE_MACHINE =
            Arrays.stream(Syscall.values()).filter(Syscall::isOfTheMachine).toList();

    /// For every process of a sandbox, in either runtime.
    private static final List<CallRule> COMMON =
            List.of(
                    new CallRule.Refuse(Errno.ENOSYS, KEYS),
                    // Its flags lie in memory, where no filter sees them; the C library falls back.
                    new CallRule.Refuse(Errno.ENOSYS, List.of(CLONE3)),
                    new CallRule.Refuse(Errno.EPERM, OF_THE_MACHINE),
                    new CallRule.Bits(CLONE, 0, CLONE_NAMESPACES, 0, Errno.EPERM),
                    new CallRule.Only(SOCKET, 0, SOCKET_FAMILIES, Errno.EAFNOSUPPORT),
                    new CallRule.Only(PERSONALITY, 0, PERSONALITIES, Errno.EPERM),
                    new CallRule.Except(IOCTL, 1, TERMINAL_TRICKS, Errno.EPERM));

    private static final CallRule NO_NAMESPACES =
            new CallRule.Refuse(Errno.EPERM, List.of(SETNS, UNSHARE));

    /// `nsenter` and `unshare` still need two calls on their way into a sandbox.
    private static final CallRule ENTERING =
            new CallRule.Only(UNSHARE, 0, List.of(CLONE_NEWUSER), Errno.EPERM);

    private static final List<CallRule> GATEWAY =
            List.of(
                    new CallRule.Refuse(Errno.ENOSYS, KEYS),
                    new CallRule.Refuse(Errno.ENOSYS, List.of(CLONE3)),
                    new CallRule.Refuse(Errno.EPERM, OF_THE_MACHINE),
                    new CallRule.Refuse(
                            Errno.EPERM, List.of(EXECVE, EXECVEAT, FORK, VFORK, LISTEN)),
                    new CallRule.Refuse(
                            Errno.EPERM, List.of(PTRACE, PROCESS_VM_READV, PROCESS_VM_WRITEV)),
                    NO_NAMESPACES,
                    new CallRule.Bits(
                            CLONE, 0, CLONE_NAMESPACES | CLONE_THREAD, CLONE_THREAD, Errno.EPERM),
                    new CallRule.Only(SOCKET, 0, SOCKET_FAMILIES, Errno.EAFNOSUPPORT),
                    new CallRule.Only(SOCKETPAIR, 0, List.of(AF_UNIX), Errno.EAFNOSUPPORT));

    private static final int SOCK_STREAM = 1;
    private static final int SOL_SOCKET = 1;
    private static final int IPPROTO_TCP = 6;

    /// Connects while it sends (`MSG_FASTOPEN`).
    private static final int SEND_CONNECTS = 0x20000000;

    private static final List<CallRule> SIDECAR =
            List.of(
                    new CallRule.Refuse(Errno.EPERM, List.of(SOCKET)),
                    // The JDK makes a pair when it learns what TLS it has. One of datagrams could
                    // send to any socket that has a path.
                    new CallRule.Only(SOCKETPAIR, 1, List.of(SOCK_STREAM), Errno.EPERM),
                    // Options of IP could lead what is sent to another address.
                    new CallRule.Only(SETSOCKOPT, 1, List.of(SOL_SOCKET, IPPROTO_TCP), Errno.EPERM),
                    new CallRule.Bits(SENDTO, 3, SEND_CONNECTS, 0, Errno.EPERM),
                    new CallRule.Bits(SENDMSG, 2, SEND_CONNECTS, 0, Errno.EPERM),
                    new CallRule.Bits(SENDMMSG, 3, SEND_CONNECTS, 0, Errno.EPERM));

    private SyscallFilter() {}

    /// For the first process of a sandbox, which bubblewrap starts when all namespaces are made.
    public static byte[] ofSandbox() {
        return program(sandbox());
    }

    /// The same for all processes of a container.
    public static String ofContainer() {
        return EngineProfile.of(sandbox());
    }

    /// Whether programs for this architecture, as images name it, would be killed.
    public static boolean kills(String architecture) {
        return Processor.current().narrow().equals(architecture);
    }

    static List<CallRule> sandbox() {
        return with(NO_NAMESPACES);
    }

    /// For a command on its way into a sandbox, and for all that it becomes and starts there. What
    /// is left of [#ENTERING] helps nobody inside: a further user namespace gives rights over
    /// namespaces that belong to it, and there is no way to make one.
    public static byte[] ofEntering() {
        return program(with(ENTERING));
    }

    /// For the gateway, which never starts a program and is handed every socket that listens.
    public static byte[] ofGateway() {
        return program(GATEWAY);
    }

    /// For a sidecar, on top of [#ofGateway]: it is handed every socket and makes none. A
    /// connection that it was handed belongs to the host's network, and could be connected to
    /// something else.
    ///
    /// @param connects whether it connects the sockets of published ports
    public static byte[] ofSidecar(boolean connects) {
        List<CallRule> rules = new ArrayList<>(SIDECAR);
        if (!connects) {
            rules.add(new CallRule.Refuse(Errno.EPERM, List.of(CONNECT)));
        }
        return program(rules);
    }

    private static List<CallRule> with(CallRule last) {
        List<CallRule> rules = new ArrayList<>(COMMON);
        rules.add(last);
        return rules;
    }

    private static byte[] program(List<CallRule> rules) {
        return new FilterProgram(Processor.current()).with(rules).bytes();
    }
}
