package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a sandbox could reach if it had a network.
///
/// @param port of the gateway
record RemoteProbes(Machine gateways, Machine sandboxes, String port) {
    /// Everything else on the other machine that listens, at all of its addresses, and a route to
    /// it.
    Process listen() {
        gateways.add("169.254.169.254/32");
        gateways.run("ip", "address", "add", "2001:db8::1/64", "dev", "cable0", "nodad");
        sandboxes.run("ip", "address", "add", "2001:db8::2/64", "dev", "cable0", "nodad");
        sandboxes.run("ip", "route", "add", "default", "via", gateways.address());
        String listen =
                "use IO::Socket::IP; use IO::Select; my $s = IO::Select->new;"
                        + " for my $p (53, 9053) { $s->add(IO::Socket::IP->new(LocalHost => '::', V6Only => 0,"
                        + " LocalPort => $p, Listen => 9, ReuseAddr => 1) or die) }"
                        + " my $u = IO::Socket::IP->new(LocalHost => '::', V6Only => 0, LocalPort => 53, Proto => 'udp') or die;"
                        + " $s->add($u); while (1) { for my $r ($s->can_read) { if ($r == $u) {"
                        + " $u->recv(my $b, 99); $u->send('yes') } else { my $c = $r->accept; print $c 'yes'; close $c } } }";
        return gateways.command("perl", "-e", listen).start();
    }

    Map<String, String> probes() {
        Map<String, String> probes = new LinkedHashMap<>();
        probes.put("the gateway's own port", open("tcp", gateways.address(), port));
        probes.put("the gateway's machine", read("tcp", gateways.address(), "9053"));
        probes.put("a resolver", read("udp", gateways.address(), "53"));
        probes.put("a resolver by TCP", read("tcp", gateways.address(), "53"));
        probes.put("IPv6", read("tcp", "2001:db8::1", "9053"));
        probes.put("the metadata address", read("tcp", "169.254.169.254", "9053"));
        return probes;
    }

    /// The same, and what only the host's own programs could try, from the network of a process.
    void requireNothingIsReachedBy(long process) {
        assertThat(Path.of("/proc/" + process + "/status"))
                .as("that of a gateway process, and its own")
                .content()
                .contains("Seccomp_filters:\t2\n");
        Map<String, String> all = new LinkedHashMap<>(probes());
        all.put("a port of the host", open("tcp", "127.0.0.1", "3000"));
        all.put("ICMP", echo(gateways.address()));
        for (Map.Entry<String, String> probe : all.entrySet()) {
            String[] shell = {"bash", "-c", probe.getValue()};
            assertThat(sandboxes.command(shell).run().exit())
                    .as("control: the machine itself reaches " + probe.getKey())
                    .isZero();
            List<String> entered =
                    new ArrayList<>(List.of("nsenter", "-t", Long.toString(process), "-n", "--"));
            entered.addAll(List.of(shell));
            assertThat(Command.of(entered).run().exit()).as(probe.getKey()).isNotZero();
        }
    }

    /// Whether such a packet leaves.
    private static String echo(String address) {
        return "perl -MSocket -e 'socket(my $s, AF_INET, SOCK_RAW, 1) or die;"
                + " exit !send($s, pack(q(CCnnn), 8, 0, 0xf7ff, 0, 0), 0, sockaddr_in(0, inet_aton(q("
                + address
                + "))))'";
    }

    private static String open(String protocol, String address, String port) {
        return "exec 3<>/dev/" + protocol + "/" + address + "/" + port;
    }

    private static String read(String protocol, String address, String port) {
        return open(protocol, address, port)
                + " && echo hi >&3 && timeout 60 head -c 3 <&3 | grep yes";
    }
}
