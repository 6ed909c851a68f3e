package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Runs perl, which is part of every Debian, because no shell can make a system call by number.
class SyscallFilterTest {
    private static final int EPERM = Errno.EPERM.number();
    private static final int ENOSYS = Errno.ENOSYS.number();
    private static final int EAFNOSUPPORT = Errno.EAFNOSUPPORT.number();

    /// The number of the error, or 0.
    private static int call(Confinement confinement, int number, String arguments)
            throws IOException, InterruptedException {
        String script = "print syscall(" + number + ", " + arguments + ") < 0 ? $!+0 : 0";
        Process process = ConfinedStart.of(new ProcessBuilder("perl", "-e", script), confinement);
        String said =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        return Integer.parseInt(said);
    }

    private static int entering(int number, String arguments)
            throws IOException, InterruptedException {
        return call(Confinement.toCalls(SyscallFilter.ofEntering()), number, arguments);
    }

    private static int number(Syscall call) {
        return Processor.current().numberOf(call);
    }

    /// P8: `request_key` makes the kernel run a program on the host, which asks a name server.
    @Test
    void p8KeepsTheKernelFromAskingTheHostForAKey() throws IOException, InterruptedException {
        for (Syscall key : List.of(Syscall.ADD_KEY, Syscall.REQUEST_KEY, Syscall.KEYCTL)) {
            assertThat(entering(number(key), "0, 0, 0, -3")).isEqualTo(ENOSYS);
            assertThat(call(() -> {}, number(key), "0, 0, 0, -3")).isNotEqualTo(ENOSYS);
        }
    }

    /// Each fails otherwise, or not at all, for a process without a filter: so it was the filter.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    IO_URING_SETUP  | 1, 0
                    USERFAULTFD     | -1
                    PERF_EVENT_OPEN | 0, 0, -1, -1, 0
                    BPF             | 0, 0, 0
                    PIDFD_GETFD     | -1, 0, 0
                    LISTMOUNT       | 0, 0, 0, 0
                    """)
    void refusesWaysIntoTheKernel(Syscall call, String arguments)
            throws IOException, InterruptedException {
        assertThat(entering(number(call), arguments)).isEqualTo(EPERM);
        assertThat(call(() -> {}, number(call), arguments)).isNotEqualTo(EPERM);
    }

    @Test
    void leavesACommandNoNamespaceToMakeButOneThatOwnsNothing()
            throws IOException, InterruptedException {
        int user = 0x10000000;
        int net = 0x40000000;
        assertThat(entering(number(Syscall.UNSHARE), "" + user)).isZero();
        for (int flags : List.of(net, user | net, 0x20000)) {
            assertThat(entering(number(Syscall.UNSHARE), "" + flags)).isEqualTo(EPERM);
            assertThat(entering(number(Syscall.CLONE), (flags | 17) + ", 0, 0, 0, 0"))
                    .isEqualTo(EPERM);
        }
        assertThat(call(() -> {}, number(Syscall.UNSHARE), "" + (user | net))).isZero();
    }

    @Test
    void leavesTheFirstProcessOfASandboxNone() throws IOException, InterruptedException {
        Confinement sandbox = Confinement.toCalls(SyscallFilter.ofSandbox());
        assertThat(call(sandbox, number(Syscall.UNSHARE), "" + 0x10000000)).isEqualTo(EPERM);
        assertThat(call(sandbox, number(Syscall.SETNS), "-1, 0")).isEqualTo(EPERM);
    }

    /// `AF_VSOCK` (40) reaches the host of a virtual machine whatever the network namespace, and
    /// `AF_ALG` (38) has been a way into the kernel; 1, 2, 10 and 16 are what programs use.
    @ParameterizedTest
    @CsvSource({"1,0", "2,0", "10,0", "16,0", "17,97", "38,97", "40,97"})
    void leavesSocketsOfOrdinaryFamilies(int family, int error)
            throws IOException, InterruptedException {
        assertThat(entering(number(Syscall.SOCKET), family + ", " + (family == 16 ? 3 : 2) + ", 0"))
                .isEqualTo(error);
        assertThat(error == 0 || error == EAFNOSUPPORT).isTrue();
    }

    /// I7: `TIOCSTI` types into the terminal of whoever started the command.
    @Test
    void i7TypesIntoNoTerminal() throws IOException, InterruptedException {
        assertThat(entering(number(Syscall.IOCTL), "0, 0x5412, 0")).isEqualTo(EPERM);
        assertThat(call(() -> {}, number(Syscall.IOCTL), "0, 0x5412, 0")).isNotEqualTo(EPERM);
        assertThat(entering(number(Syscall.IOCTL), "0, 0x5413, 0")).isNotEqualTo(EPERM);
    }

    @Test
    void knowsNoCallThatNobodyLookedAt() throws IOException, InterruptedException {
        assertThat(entering(Processor.NEWEST + 1, "0")).isEqualTo(ENOSYS);
        assertThat(entering(0x40000000 | 39, "0")).isEqualTo(ENOSYS);
    }

    @Test
    void letsOrdinaryProgramsRun() throws IOException, InterruptedException {
        Process process =
                ConfinedStart.of(
                        new ProcessBuilder("sh", "-c", "ls / | sort | head -n 1 && (exit 7)"),
                        Confinement.toCalls(SyscallFilter.ofEntering()));
        assertThat(process.getInputStream().readAllBytes()).isNotEmpty();
        assertThat(process.waitFor()).isEqualTo(7);
    }

    @Test
    void aGatewayStartsNoProgram() throws IOException {
        Confinement gateway = Confinement.toCalls(SyscallFilter.ofGateway());
        assertThatThrownBy(() -> ConfinedStart.of(new ProcessBuilder("true"), gateway))
                .isInstanceOf(IOException.class);
    }
}
