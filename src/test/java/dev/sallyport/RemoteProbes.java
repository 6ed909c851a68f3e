package dev.sallyport;

import dev.sallyport.fixture.Machine;
import java.util.LinkedHashMap;
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

    private static String open(String protocol, String address, String port) {
        return "exec 3<>/dev/" + protocol + "/" + address + "/" + port;
    }

    private static String read(String protocol, String address, String port) {
        return open(protocol, address, port)
                + " && echo hi >&3 && timeout 60 head -c 3 <&3 | grep yes";
    }
}
