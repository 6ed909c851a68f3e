package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The exported files are taken by the real programs, each in a network namespace of its own from
/// which nothing can leave.
class PerimeterIT {
    @TempDir Path directory;

    private void export(Perimeter.Format format) {
        Installation sallyport = Installation.bare(directory.resolve(format.name()));
        sallyport.policy(
                """
                egress:
                  - host: api.example.com
                  - host: "*.cdn.example.org"
                  - host: "**.deep.example.net"
                    ports: [8443]
                """);
        sallyport
                .sallyport(
                        "policy",
                        "export",
                        "--format",
                        format.label(),
                        "--output",
                        directory.toString(),
                        "--resolver",
                        "127.0.0.1#5399")
                .run()
                .ok();
    }

    private Command.Result inNamespace(String script) throws IOException {
        return Command.of("unshare", "--net", "--", "sh", "-euc", "ip link set lo up\n" + script)
                .in(directory)
                .run();
    }

    @Test
    void checksumsFitAndAChangeShows() throws Exception {
        for (Perimeter.Format format : Perimeter.Format.values()) {
            export(format);
            Command check = Command.of("sha256sum", "--check", "SHA256SUMS").in(directory);
            assertThat(check.run().exit()).isZero();
        }
        Files.writeString(directory.resolve("nftables.conf"), "flush ruleset\n");
        assertThat(Command.of("sha256sum", "--check", "SHA256SUMS").in(directory).run().exit())
                .isNotZero();
    }

    @Test
    void dnsmasqAnswersAllowedNamesAndNoOthers() throws Exception {
        export(Perimeter.Format.DNSMASQ);
        Command.Result result =
                inNamespace(
                        """
                        printf 'no-resolv\\nno-hosts\\naddress=/#/192.0.2.1\\n' >up.conf
                        dnsmasq -C up.conf -p 5399 --keep-in-foreground --user=root -x up.pid >/dev/null 2>&1 &
                        up=$!
                        dnsmasq -C dnsmasq.conf -p 5398 --keep-in-foreground --user=root -x own.pid >/dev/null 2>&1 &
                        own=$!
                        trap 'kill $up $own' EXIT
                        for port in 5399 5398; do
                            for _ in $(seq 100); do dig +tries=1 +time=1 -p $port @127.0.0.1 api.example.com >/dev/null && break; sleep 0.1; done
                        done
                        ask() { dig +tries=3 +time=3 -p "$1" @127.0.0.1 "$2" | grep -oE 'status: [A-Z]+' || echo silent; }
                        ask 5399 other.example.com
                        for name in api.example.com x.cdn.example.org a.b.deep.example.net deep.example.net; do ask 5398 $name; done
                        echo --
                        for name in other.example.com x.api.example.com xapi.example.com cdn.example.org example.net; do ask 5398 $name; done
                        """);
        String[] parts = result.out().split("--\n", -1);
        assertThat(parts).as(result.all()).hasSize(2);
        assertThat(parts[0].lines()).hasSize(5).allMatch("status: NOERROR"::equals);
        assertThat(parts[1].lines()).hasSize(5).allMatch("status: NXDOMAIN"::equals);
    }

    @Test
    void tinyproxyRefusesWhatIsNotNamed() throws Exception {
        export(Perimeter.Format.TINYPROXY);
        Command.Result result =
                inNamespace(
                        """
                        tinyproxy -d -c tinyproxy.conf >log 2>&1 &
                        own=$!
                        trap 'kill $own' EXIT
                        for _ in $(seq 100); do curl -s -o body http://127.0.0.1:8888/ && break; sleep 0.1; done
                        ask() { curl -s -m 60 -o body -w '%{http_code}\\n' -x http://127.0.0.1:8888 "$1" || true; }
                        for host in api.example.com x.cdn.example.org a.b.deep.example.net; do ask "http://$host/"; done
                        echo --
                        for host in other.example.com x.api.example.com xapi.example.com cdn.example.org a.b.cdn.example.org; do
                            ask "http://$host/"
                        done
                        """);
        String[] parts = result.out().split("--\n", -1);
        assertThat(parts).as(result.all()).hasSize(2);
        // Allowed ones get past the filter, to a name that does not resolve in here.
        assertThat(parts[0].lines()).hasSize(3).allMatch(code -> code.startsWith("5"));
        assertThat(parts[1].lines()).hasSize(5).allMatch("403"::equals);
    }

    @Test
    void nftablesTakesTheRulesetTwice() throws Exception {
        export(Perimeter.Format.NFTABLES);
        Command.Result result =
                inNamespace(
                        "nft -c -f nftables.conf; nft -f nftables.conf; nft -f nftables.conf;"
                                + " nft list table inet sallyport");
        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.out())
                .contains("policy drop", "@ports_80_443_v4", "tcp dport 8443 accept");
    }
}
