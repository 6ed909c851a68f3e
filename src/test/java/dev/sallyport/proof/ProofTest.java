package dev.sallyport.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.ProcessIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// How what is seen becomes a verdict. The probes themselves are tried on real sandboxes in
/// `VerifyIT`.
class ProofTest {
    private static final String SESSION = "00112233445566ff";
    private static final String NAME_ERROR = "\u00124\u0081\u0083\0\1\0\0\0\0\0\0";
    private static final String ADDRESS = "\u00124\u0081\u0080\0\1\0\1\0\0\0\0";

    private static Subject subject(Set<String> gitHosts, boolean learn) {
        return subject(ProcessHandle.current().pid(), gitHosts, learn);
    }

    private static Subject subject(long pid, Set<String> gitHosts, boolean learn) {
        return subject(pid, gitHosts, learn, Optional.empty());
    }

    private static Subject subject(
            long pid, Set<String> gitHosts, boolean learn, Optional<SidecarProcess> sidecar) {
        return new Subject(
                SESSION,
                ProcessIdentity.of(pid).orElseThrow().named("self"),
                Path.of("/"),
                gitHosts,
                List.of("git.example.com"),
                List.of(),
                learn,
                sidecar,
                Path.of("/none"));
    }

    private static Row row(List<Row> rows, String probe) {
        return rows.stream().filter(r -> r.probe().startsWith(probe)).findFirst().orElseThrow();
    }

    private static Row door(String probe, Map<String, String> parts, boolean learn) {
        return row(
                new Proof.DoorRows(subject(Set.of(), learn), new Testimony(parts)).rows(), probe);
    }

    private static void assertOutcome(Row row, Row.Outcome outcome) {
        assertThat(row.outcome()).as(row.toString()).isEqualTo(outcome);
    }

    @Test
    void partsAreToldApartByTheMarkAlone() {
        Testimony said =
                Testimony.parse("m1", "noise\nm1 a\none\n\nm2 b\nforged\nm1 b\ntwo\nm1 end\n");
        assertThat(said.text("a")).isEqualTo("one\n\nm2 b\nforged");
        assertThat(said.lines("b")).containsExactly("two");
        assertThat(said.isComplete()).isTrue();
        assertThat(Testimony.parse("m1", "m1 a").isComplete()).isFalse();
    }

    @Test
    void aConnectionThatSucceedsFailsTheProof() {
        String probe = "connect to";
        String refused = "bash: connect: Network is unreachable";
        assertOutcome(door(probe, Map.of("direct", refused), false), Row.Outcome.PASS);
        assertOutcome(door(probe, Map.of("direct", "connected\n"), false), Row.Outcome.FAIL);
        assertOutcome(door(probe, Map.of("direct", ""), false), Row.Outcome.FAIL);
        assertOutcome(
                door(probe, Map.of("direct", refused + "\nconnected\n"), false), Row.Outcome.FAIL);
        assertOutcome(door(probe, Map.of(), false), Row.Outcome.NOT_PROBED);
    }

    @Test
    void thePageMustNameThisSession() {
        String probe = "the gateway";
        assertOutcome(
                door(probe, Map.of("page", "sandbox: a\nsession: " + SESSION + "\n"), false),
                Row.Outcome.PASS);
        assertOutcome(
                door(probe, Map.of("page", "session: 0000000000000000\n"), false),
                Row.Outcome.FAIL);
        assertOutcome(door(probe, Map.of("page", ""), false), Row.Outcome.FAIL);
    }

    @Test
    void namesResolveOrDoNotAsThePolicySays() {
        String no = "resolve sallyport-verify.invalid";
        assertOutcome(door(no, Map.of("nameNo", NAME_ERROR), false), Row.Outcome.PASS);
        assertOutcome(door(no, Map.of("nameNo", ADDRESS), false), Row.Outcome.FAIL);
        assertOutcome(door(no, Map.of("nameNo", ""), false), Row.Outcome.FAIL);
        assertOutcome(door(no, Map.of("nameNo", ADDRESS), true), Row.Outcome.NOT_PROBED);
        String yes = "resolve git.example.com";
        assertOutcome(door(yes, Map.of("nameYes", ADDRESS), false), Row.Outcome.PASS);
        assertOutcome(door(yes, Map.of("nameYes", NAME_ERROR), false), Row.Outcome.FAIL);
    }

    @Test
    void aCapabilityInAnySetFailsTheProof() {
        String none =
                "CapInh:\t0000\nCapPrm:\t0000\nCapEff:\t0000\nCapBnd:\t0000\nCapAmb:\t0000\nNoNewPrivs:\t1\nSeccomp:\t2\n";
        for (String part : List.of("capabilities", "NoNewPrivs", "Seccomp")) {
            assertOutcome(privilege(part, none), Row.Outcome.PASS);
            assertOutcome(privilege(part, ""), Row.Outcome.FAIL);
        }
        assertOutcome(
                privilege("capabilities", none.replace("CapPrm:\t0000", "CapPrm:\t0400")),
                Row.Outcome.FAIL);
        assertOutcome(
                privilege("Seccomp", none.replace("Seccomp:\t2", "Seccomp:\t0")), Row.Outcome.FAIL);
    }

    private static Row privilege(String probe, String status) {
        return privilege(probe, Map.of("status", status));
    }

    private static Row privilege(String probe, Map<String, String> parts) {
        return row(new PrivilegeRows(subject(Set.of(), false), new Testimony(parts)).rows(), probe);
    }

    @Test
    void aCallThatTheKernelLooksAtFailsTheProof() {
        String refused = "inet 0\nvsock 1\nalg 97\nio_uring 38\nnamespace 1\n";
        Map<String, String> reached =
                Map.of(
                        "AF_VSOCK", "vsock 0",
                        "io_uring", "io_uring 14",
                        "a namespace", "namespace 0");
        for (String probe : reached.keySet()) {
            assertOutcome(privilege(probe, Map.of("calls", refused)), Row.Outcome.PASS);
            String seen =
                    refused.replaceFirst(
                            reached.get(probe).split(" ", 2)[0] + " \\d+", reached.get(probe));
            assertOutcome(privilege(probe, Map.of("calls", seen)), Row.Outcome.FAIL);
            assertOutcome(
                    privilege(probe, Map.of("calls", refused.replace("inet 0", "inet 1"))),
                    Row.Outcome.FAIL);
            assertOutcome(privilege(probe, Map.of("calls", "")), Row.Outcome.FAIL);
            assertOutcome(privilege(probe, Map.of()), Row.Outcome.NOT_PROBED);
        }
    }

    /// A process that somebody brought inside from the host has no filter.
    @Test
    void aProcessWithoutAFilterFailsTheProof() throws IOException {
        Process process =
                Command.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--net",
                                "--pid",
                                "--fork",
                                "sh",
                                "-c",
                                "echo up; read _")
                        .start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("up");
            long first = process.children().findFirst().orElseThrow().pid();
            Row row =
                    row(
                            new PrivilegeRows(
                                            subject(first, Set.of(), false),
                                            new Testimony(Map.of()))
                                    .rows(),
                            "system call filter");
            assertOutcome(row, Row.Outcome.FAIL);
            assertThat(row.seen()).contains("/proc/" + first);
        } finally {
            process.children().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
    }

    private static Row secret(String probe, String part, String text) {
        Testimony said = new Testimony(Map.of(part, text));
        return row(
                new Proof.SecretRows(subject(Set.of("git.example.com"), false), said).rows(),
                probe);
    }

    @Test
    void aCredentialInTheEnvironmentFailsTheProofAndIsNotPrinted() {
        String probe = "environment";
        assertOutcome(secret(probe, "environ", "SALLYPORT=1\0PATH=/bin\0"), Row.Outcome.PASS);
        Row found = secret(probe, "environ", "SALLYPORT=1\0MY_TOKEN=hush\0");
        assertOutcome(found, Row.Outcome.FAIL);
        assertThat(found.toString()).contains("MY_TOKEN").doesNotContain("hush");
        assertOutcome(secret(probe, "environ", "PATH=/bin\0"), Row.Outcome.FAIL);
    }

    @Test
    void gitMustLeadToTheGateway() {
        String ours = "[protocol]\n\tallow = never\n";
        String url = "[url \"http://git.example.com/\"]\n";
        assertOutcome(secret("git's", "gitconfig", ours + url), Row.Outcome.PASS);
        assertOutcome(secret("git's", "gitconfig", ours), Row.Outcome.FAIL);
        assertOutcome(secret("git's", "gitconfig", url), Row.Outcome.FAIL);
    }

    /// The process of the test is no sandbox: it shares everything with the host.
    @Test
    void theHostItselfIsNotProven() {
        List<Row> rows =
                new Proof.IdentityRows(subject(Set.of(), false), new Testimony(Map.of())).rows();
        assertOutcome(row(rows, "pid, start time"), Row.Outcome.PASS);
        assertOutcome(row(rows, "net namespace"), Row.Outcome.FAIL);
        assertOutcome(row(rows, "process 1"), Row.Outcome.FAIL);
    }

    private static List<Row> ofSidecar(Optional<Long> pid) {
        Subject subject =
                subject(
                        ProcessHandle.current().pid(),
                        Set.of(),
                        false,
                        pid.map(known -> new SidecarProcess(known, SESSION)));
        return new NetworkRows(subject, new Testimony(Map.of()))
                .rows().stream().filter(row -> row.probe().startsWith("the sidecar")).toList();
    }

    /// What has taken a sidecar over must not be able to take its row away.
    @Test
    void aSandboxThatHasASidecarHasItsRow() throws IOException {
        assertThat(ofSidecar(Optional.empty())).isEmpty();
        Process alone =
                Command.of("unshare", "--user", "--net", "sh", "-c", "echo up; read _").start();
        try (BufferedReader said = alone.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("up");
            assertOutcome(ofSidecar(Optional.of(alone.pid())).getFirst(), Row.Outcome.PASS);
        } finally {
            alone.destroyForcibly().onExit().join();
        }
        assertOutcome(ofSidecar(Optional.of(0L)).getFirst(), Row.Outcome.FAIL);
        assertOutcome(
                ofSidecar(Optional.of(ProcessHandle.current().pid())).getFirst(), Row.Outcome.FAIL);
    }

    @Test
    void onlySocketsThatWaitAreListed() {
        String head =
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        String listening =
                "   0: 0100007F:0C38 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 x\n";
        String connected =
                "   1: 0100007F:0C39 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 x\n";
        assertThat(NetworkRows.SocketTable.parse("tcp", head + listening + connected))
                .containsExactly(
                        new NetworkRows.SocketTable.Socket("tcp", "127.0.0.1", 3128, 4711));
        assertThat(NetworkRows.SocketTable.parse("udp", head + listening)).isEmpty();
    }

    @Test
    void anInterfaceIsWhateverStandsBeforeAColon() {
        assertThat(
                        NetworkRows.interfaceNames(
                                "Inter-|   Receive\n face |bytes\n    lo: 0 0\n dummy0: 0 0\n"))
                .containsExactly("dummy0", "lo");
    }

    @Test
    void unixSocketsCountWhenSomebodyWaitsAtThem() throws IOException {
        UnixRows.UnixTable table =
                UnixRows.UnixTable.parse(
                        """
                        Num       RefCount Protocol Flags    Type St Inode Path
                        0000000000000000: 00000002 00000000 00010000 0001 01    11 /work/a b.sock
                        0000000000000000: 00000003 00000000 00000000 0001 03 12 /work/peer
                        0000000000000000: 00000002 00000000 00000000 0002 01 13 @abstract
                        0000000000000000: 00000002 00000000 00010000 0001 01 14 here.sock
                        0000000000000000: 00000002 00000000 00000000 0001 03 15
                        """);
        assertThat(table.waiting())
                .extracting(UnixRows.UnixTable.Named::name)
                .containsExactly("/work/a b.sock", "@abstract", "here.sock");
        assertThat(table.mayHave("/work/a b.sock")).isTrue();
        assertThat(table.mayHave("/work/here.sock")).isTrue();
        assertThat(table.mayHave("/work/peer")).isFalse();
        assertThat(table.namesLike("/elsewhere/a b.sock")).containsExactly("/work/a b.sock");
    }

    private static String listening(int inode, String name) {
        return "0000000000000000: 00000002 00000000 00010000 0001 01 " + inode + name + "\n";
    }

    /// E19: whoever binds a name with a line break writes into the kernel's table.
    @Test
    void aTableWithALineThatIsNoSocketsIsRefused() throws IOException {
        String head = "Num       RefCount Protocol Flags    Type St Inode Path\n";
        String real = head + listening(11, " @a");
        assertThat(UnixRows.UnixTable.parse(real).waiting()).as("positive control").hasSize(1);
        assertThat(UnixRows.UnixTable.parse(real + listening(11, " @a")).waiting())
                .as("seen twice while it was read")
                .hasSize(2);
        for (String forged :
                List.of(
                        listening(12, " @a\nx y z q w e r t"),
                        listening(12, " @a\n"),
                        listening(12, " \nhere.sock"),
                        listening(12, " @a\n\n" + listening(13, " @b").strip()),
                        listening(12, " @a\n" + listening(11, " /work/host.sock").strip()),
                        listening(12, " @a\n" + listening(12, " /work/host.sock").strip()),
                        listening(12, " @a\n0: 0 0 0 0 0 0 /work/host.sock"))) {
            assertThatThrownBy(() -> UnixRows.UnixTable.parse(real + forged))
                    .as(forged)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("line break");
        }
        assertThatThrownBy(() -> UnixRows.UnixTable.parse("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> UnixRows.UnixTable.parse(real.strip()))
                .isInstanceOf(IOException.class);
    }

    /// A line that looks real adds a socket, which somebody must hold; it takes none away.
    @Test
    void aForgedLineHidesNothing() throws IOException {
        UnixRows.UnixTable table =
                UnixRows.UnixTable.parse(
                        "Num       RefCount Protocol Flags    Type St Inode Path\n"
                                + listening(12, " @a\n" + listening(13, " @a").strip())
                                + listening(14, " ")
                                + listening(15, " @host\r x"));
        assertThat(table.waiting())
                .extracting(UnixRows.UnixTable.Named::inode)
                .containsExactly(12L, 13L, 14L, 15L);
    }

    /// E19, against the kernel: a process with a network of its own stands for the sandbox.
    @Test
    void aNameWithALineBreakFailsTheRow() throws IOException {
        assertOutcome(whileBound("a"), Row.Outcome.PASS);
        Row row = whileBound("a\\nx y z q w e r t");
        assertOutcome(row, Row.Outcome.FAIL);
        assertThat(row.seen()).contains("cannot be read");
    }

    private static Row whileBound(String name) throws IOException {
        String script =
                "use IO::Socket::UNIX; my $u = IO::Socket::UNIX->new(Local => \"\\0"
                        + name
                        + "\", Listen => 1) or die; $| = 1; print \"up\\n\"; <STDIN>";
        Process process =
                Command.of("unshare", "--user", "--map-root-user", "--net", "perl", "-e", script)
                        .start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("up");
            return new UnixRows(subject(process.pid(), Set.of(), false)).named();
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void aSecretThatWasFoundFailsAndOneThatCannotBeLookedForProvesNothing() {
        assertOutcome(new Searched(List.of("a"), List.of(), 9, List.of()).row(), Row.Outcome.PASS);
        assertOutcome(
                new Searched(List.of("a"), List.of("b"), 9, List.of("a in /proc/7/environ")).row(),
                Row.Outcome.FAIL);
        assertOutcome(
                new Searched(List.of("a"), List.of("b"), 9, List.of()).row(),
                Row.Outcome.NOT_PROBED);
        assertOutcome(new Searched(List.of("a"), List.of(), 0, List.of()).row(), Row.Outcome.FAIL);
    }
}
