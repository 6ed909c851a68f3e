package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.StreamSupport;
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

    /// A connection that it was handed is one of the host's network, whatever network the process
    /// is in, and can be connected to something else.
    @Test
    void aSidecarTurnsNoConnectionIntoAnother() throws IOException, InterruptedException {
        assertThat(reconnected(new byte[0])).as("control").isEqualTo("there sent");
        assertThat(reconnected(SyscallFilter.ofSidecar(true)))
                .as("with published ports")
                .isEqualTo("there 1");
        assertThat(reconnected(SyscallFilter.ofSidecar(false))).isEqualTo("1 1");
        for (int family : List.of(1, 2, 10, 16, 17)) {
            assertThat(call(sidecar(true), number(Syscall.SOCKET), family + ", 2, 0"))
                    .isEqualTo(EPERM);
        }
        assertThat(call(sidecar(true), number(Syscall.SOCKETPAIR), "30, 2, 0, 0")).isEqualTo(EPERM);
        assertThat(call(() -> {}, number(Syscall.SOCKET), "2, 2, 0")).as("control").isZero();
    }

    /// Options of IP could send what belongs to a connection by way of another address, and a pair
    /// for datagrams could send to whatever socket of the host has a path.
    @Test
    void aSidecarLeadsNothingElsewhere() throws IOException, InterruptedException {
        for (int level : List.of(0, 41)) {
            assertThat(call(sidecar(true), number(Syscall.SETSOCKOPT), "0, " + level + ", 4, 0, 0"))
                    .isEqualTo(EPERM);
        }
        for (int level : List.of(1, 6)) {
            assertThat(call(sidecar(true), number(Syscall.SETSOCKOPT), "0, " + level + ", 4, 0, 0"))
                    .as("control")
                    .isNotIn(EPERM, 0);
        }
        for (int type : List.of(2, 5, 0x80002)) {
            assertThat(call(sidecar(true), number(Syscall.SOCKETPAIR), "1, " + type + ", 0, 0"))
                    .isEqualTo(EPERM);
        }
        assertThat(call(sidecar(true), number(Syscall.SOCKETPAIR), "1, 1, 0, 0"))
                .as("control")
                .isNotIn(EPERM, 0);
    }

    /// What becomes of connections that a process has when it gets this filter: one is connected to
    /// another place, and a socket that was not connected while it sends.
    private static String reconnected(byte[] filter) throws IOException {
        String script =
                """
                use Socket;
                sub fresh { socket(my $s, AF_INET, SOCK_STREAM, 0) or die; $s }
                sub ear { my $s = fresh(); bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die; listen($s, 5) or die; $s }
                my ($one, $other, $line, $spare) = (ear(), ear(), fresh(), fresh());
                connect($line, getsockname($one)) or die;
                my $to = getsockname($other);
                my $filter = pack('H*', $ARGV[0]);
                my $program = pack('Sx6P', length($filter) / 8, $filter);
                if ($filter) { syscall(%d, 38, 1, 0, 0, 0) == 0 && syscall(%d, 1, 0, $program) == 0 or die }
                connect($line, pack('Sx14', AF_UNSPEC));
                print connect($line, $to) ? 'there' : $!+0;
                print ' ', defined(send($spare, 'x', 0x20000000, $to)) ? 'sent' : $!+0;
                """
                        .formatted(number(Syscall.PRCTL), number(Syscall.SECCOMP));
        return Command.of("perl", "-e", script, HexFormat.of().formatHex(filter)).run().ok();
    }

    private static Confinement sidecar(boolean connects) {
        return Confinement.toCalls(SyscallFilter.ofSidecar(connects));
    }

    /// What an engine reads: every number of `ioctl` is allowed but two, whatever is above 32 bits,
    /// and no call that the program for the kernel refuses is among those that are allowed.
    @Test
    void anEngineIsToldTheSame() throws IOException {
        JsonNode profile = new ObjectMapper().readTree(SyscallFilter.ofContainer());

        assertThat(profile.path("defaultAction").asText()).isEqualTo("SCMP_ACT_ERRNO");
        for (long number : List.of(0x5411L, 0x5413L, 0x541bL, 0x541dL, 0L, 0xffffffffL)) {
            assertThat(allows(profile, "ioctl", 1, number)).as(Long.toHexString(number)).isTrue();
        }
        for (long trick : List.of(0x5412L, 0x541cL, 1L << 32 | 0x5412, -1L << 32 | 0x541c)) {
            assertThat(allows(profile, "ioctl", 1, trick)).as(Long.toHexString(trick)).isFalse();
        }
        for (int family = 0; family < 64; family++) {
            assertThat(allows(profile, "socket", 0, family))
                    .as("family " + family)
                    .isEqualTo(List.of(1, 2, 10, 16).contains(family));
        }
        assertThat(allows(profile, "clone", 0, 17)).isTrue();
        assertThat(allows(profile, "clone", 0, 0x10000011)).isFalse();
        assertThat(allows(profile, "read", 0, 0)).as("positive control").isTrue();
        for (Syscall call : Syscall.values()) {
            if (isRefused(call)) {
                String name = call.name().toLowerCase(Locale.ROOT);
                assertThat(allows(profile, name, 0, 0)).as(name).isFalse();
            }
        }
    }

    @Test
    void programsOf32BitsAreKilledAndImagesOfThemKnown() {
        assertThat(SyscallFilter.kills(Processor.current().narrow())).isTrue();
        assertThat(SyscallFilter.kills("amd64")).isFalse();
        assertThat(SyscallFilter.kills("arm64")).isFalse();
    }

    /// Whether the program for the kernel has it fail with every argument.
    private static boolean isRefused(Syscall call) {
        return SyscallFilter.sandbox().stream()
                .anyMatch(
                        rule ->
                                rule instanceof CallRule.Refuse(Errno _, List<Syscall> calls)
                                        && calls.contains(call));
    }

    private static boolean allows(JsonNode profile, String name, int argument, long value) {
        return StreamSupport.stream(profile.path("syscalls").spliterator(), false)
                .filter(entry -> entry.path("action").asText().equals("SCMP_ACT_ALLOW"))
                .filter(entry -> entry.path("names").toString().contains('"' + name + '"'))
                .anyMatch(entry -> matches(entry.path("args"), argument, value));
    }

    private static boolean matches(JsonNode arguments, int argument, long value) {
        return StreamSupport.stream(arguments.spliterator(), false)
                .allMatch(
                        one ->
                                one.path("index").asInt() == argument
                                        && (value & one.path("value").asLong())
                                                == one.path("valueTwo").asLong());
    }
}
