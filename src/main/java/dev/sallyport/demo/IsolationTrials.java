package dev.sallyport.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.List;

/// What the sandbox can see and reach besides git.
final class IsolationTrials {
    /// Documentation addresses (RFC 5737): nobody is there, and without a route nothing is sent.
    private static final String ELSEWHERE = "192.0.2.1";

    private static final int CONNECT_MILLIS_MAX = 2_000;

    /// A DNS question for the address of example.com, id 0x1234.
    private static final String QUESTION =
            "\\x12\\x34\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00"
                    + "\\x07example\\x03com\\x00\\x00\\x01\\x00\\x01";

    private final Theatre theatre;

    IsolationTrials(Theatre theatre) {
        this.theatre = theatre;
    }

    Claim onlyLoopback() throws IOException {
        List<String> inside = interfaces(theatre.inside("cat /proc/net/dev").out());
        return new Evidence()
                .require(inside.equals(List.of("lo")), "interfaces: " + String.join(" ", inside))
                .claim("there is no network interface but loopback");
    }

    private static List<String> interfaces(String procNetDev) {
        return procNetDev
                .lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList();
    }

    Claim noDirectConnection() throws IOException {
        int port = theatre.upstream().port();
        Shell.Said direct = theatre.inside("exec 3<>/dev/tcp/127.0.0.1/" + port);
        Shell.Said outside =
                theatre.inside("timeout 5 bash -c 'exec 3<>/dev/tcp/" + ELSEWHERE + "/443'");
        Shell.Said door = theatre.inside("exec 3<>/dev/tcp/127.0.0.1/80");
        return new Evidence()
                .require(isReachableFromHost(port), "the host reaches the server")
                .require(!direct.ok(), "the sandbox does not")
                .require(
                        !outside.ok() && outside.text().contains("unreachable"),
                        "elsewhere: network is unreachable")
                .check(door.ok(), "the gateway's own door does not open, so this proves nothing")
                .claim("the upstream cannot be reached around the gateway");
    }

    private static boolean isReachableFromHost(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    CONNECT_MILLIS_MAX);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    Claim namesOutsidePolicyDoNotExist() throws IOException {
        Shell.Said known = theatre.inside("getent ahosts " + Theatre.HOST);
        Shell.Said answer =
                theatre.inside(
                        "exec 3<>/dev/udp/127.0.0.1/53 && printf '"
                                + QUESTION
                                + "' >&3 && timeout 5 head -c 12 <&3 | od -An -v -tx1 | tr -d ' \\n'");
        Shell.Said elsewhere = theatre.inside("exec 3<>/dev/udp/" + ELSEWHERE + "/53");
        return new Evidence()
                .require(known.ok(), Theatre.HOST + " resolves")
                .require(isNameError(answer.out().strip()), "example.com: NXDOMAIN")
                .require(!elsewhere.ok(), "no other resolver in reach")
                .claim("names outside the policy do not exist, and no query leaves");
    }

    /// RFC 1035, section 4.1.1: same id, a response, and 3 in the last four bits of the flags.
    private static boolean isNameError(String header) {
        return header.length() == 24
                && header.startsWith("1234")
                && Integer.parseInt(header.substring(4, 5), 16) >= 8
                && header.charAt(7) == '3';
    }

    Claim controlIsInvisible() throws IOException {
        String home = theatre.home().toString();
        Shell.Said look = theatre.inside("ls -la " + home + "; ls " + home + "/run/control.sock");
        Shell.Said sockets =
                theatre.inside(
                        "find / -path /proc -prune -o -type s -print 2>/dev/null; grep -c . /proc/net/unix");
        return new Evidence()
                .check(
                        Files.exists(theatre.home().resolve("run").resolve("control.sock")),
                        "the host has no control socket either")
                .require(!look.ok() && look.out().isBlank(), "the state directory is not visible")
                .require(!sockets.out().contains("/"), "no Unix socket in any directory")
                .claim("the control socket and Sallyport's state are not visible");
    }

    Claim systemIsReadOnly() throws IOException {
        Shell.Said outside =
                theatre.inside(
                        "for d in / /usr /usr/bin /etc; do touch $d/sp-demo 2>/dev/null && echo $d; done;"
                                + " ls -A ~ 2>/dev/null");
        Shell.Said workspace = theatre.inside("touch here && ls here");
        return new Evidence()
                .require(outside.out().isBlank(), "system read-only, home empty")
                .require(
                        workspace.ok() && Files.exists(theatre.workspace().resolve("here")),
                        "the workspace is writable")
                .claim("only the workspace can be changed");
    }

    Claim noPrivileges() throws IOException {
        Shell.Said status = theatre.inside("cat /proc/self/status");
        Shell.Said mount = theatre.inside("mount -t tmpfs none /tmp");
        Shell.Said processes = theatre.inside("cat /proc/[0-9]*/comm");
        return new Evidence()
                .require(hasLine(status, "CapEff:\t0000000000000000"), "no capabilities")
                .require(hasLine(status, "NoNewPrivs:\t1"), "no new privileges")
                .require(!mount.ok(), "mount fails")
                .check(processes.ok(), "the sandbox does not see its own processes")
                .require(!processes.out().contains("java"), "the daemon is not visible")
                .claim("the sandbox has no privileges and sees only its own processes");
    }

    private static boolean hasLine(Shell.Said said, String line) {
        return said.out().lines().anyMatch(line::equals);
    }
}
