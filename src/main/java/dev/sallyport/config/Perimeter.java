package dev.sallyport.config;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.Word;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The policy's hosts in the words of other programs, for people who also want them at their
/// perimeter. None of these programs can say all that the policy says; each file tells in its first
/// lines where it is wider. None of them is needed: the sandbox has no network.
public final class Perimeter {
    /// A program that can be told which hosts are allowed.
    public enum Format implements Word {
        DNSMASQ,
        TINYPROXY,
        NFTABLES
    }

    private static final String TABLE = "sallyport";
    private static final SessionId NOBODY = new SessionId("0".repeat(16));

    private final List<EgressRule> rules;
    private final String digest;

    public Perimeter(Egress egress) {
        this.rules = egress.rules();
        this.digest = new Policy(NOBODY, List.of(), egress).digest();
    }

    /// File name to content, `SHA256SUMS` last, as `sha256sum --check` reads it.
    ///
    /// @param directory where the files will be, because one of them names another
    /// @param resolver `ADDRESS` or `ADDRESS#PORT` that answers for allowed names
    public Map<String, String> files(Format format, Path directory, String resolver) {
        Map<String, String> files = new LinkedHashMap<>();
        switch (format) {
            case DNSMASQ -> files.put("dnsmasq.conf", dnsmasq(resolver));
            case TINYPROXY -> {
                files.put("tinyproxy.conf", tinyproxy(directory.resolve("tinyproxy.filter")));
                files.put("tinyproxy.filter", tinyproxyFilter());
            }
            case NFTABLES -> files.put("nftables.conf", nftables());
        }
        StringBuilder sums = new StringBuilder();
        files.forEach(
                (name, text) ->
                        sums.append(
                                TrustedFiles.digest(text.getBytes(StandardCharsets.UTF_8))
                                        + "  "
                                        + name
                                        + "\n"));
        files.put("SHA256SUMS", sums.toString());
        return files;
    }

    private StringBuilder header(String... limits) {
        StringBuilder text = new StringBuilder();
        text.append("# Written by sallyport policy export; do not edit.\n");
        text.append("# policy digest: " + digest + "\n");
        for (String limit : limits) {
            text.append("# wider than the policy: " + limit + "\n");
        }
        return text;
    }

    private String dnsmasq(String resolver) {
        StringBuilder text =
                header(
                        "*.domain also means names of more than one label more",
                        "methods, paths, sizes and ports are not known to DNS");
        text.append("no-resolv\nno-hosts\nstop-dns-rebind\naddress=/#/\n");
        Set<String> lines = new LinkedHashSet<>();
        for (EgressRule rule : rules) {
            HostPattern host = rule.host();
            String domain =
                    host.breadth() == HostPattern.Breadth.ONE_LABEL
                            ? host.toString()
                            : host.name().value();
            lines.add("server=/" + domain + "/" + resolver);
            if (!host.isWildcard() && !reachesBelow(host.name())) {
                lines.add("address=/*." + domain + "/");
            }
            lines.add(
                    "nftset=/%s/4#inet#%s#%s_v4,6#inet#%s#%s_v6"
                            .formatted(
                                    host.name(),
                                    TABLE,
                                    setName(rule.ports()),
                                    TABLE,
                                    setName(rule.ports())));
        }
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private boolean reachesBelow(HostName name) {
        HostName below = new HostName("x." + name.value());
        return rules.stream().anyMatch(rule -> rule.host().matches(below));
    }

    private String tinyproxy(Path filter) {
        StringBuilder text =
                header("methods, paths and sizes are not judged", "every port for every host");
        text.append("Port 8888\nListen 127.0.0.1\nTimeout 600\nMaxClients 100\n");
        text.append("DisableViaHeader Yes\nFilter \"" + filter + "\"\n");
        text.append("FilterExtended On\nFilterDefaultDeny Yes\nFilterCaseSensitive Off\n");
        for (int port : ports()) {
            text.append("ConnectPort " + port + "\n");
        }
        return text.toString();
    }

    private String tinyproxyFilter() {
        Set<String> lines = new LinkedHashSet<>();
        for (EgressRule rule : rules) {
            String name = rule.host().name().value().replace(".", "\\.");
            lines.add(
                    switch (rule.host().breadth()) {
                        case EXACT -> "^" + name + "$";
                        case ONE_LABEL -> "^[a-z0-9-]+\\." + name + "$";
                        case DOMAIN -> "^([a-z0-9-]+\\.)*" + name + "$";
                    });
        }
        StringBuilder text = header();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private String nftables() {
        StringBuilder text =
                header("addresses are those that dnsmasq put into the sets for an hour");
        text.append("# The sets are filled by the nftset lines of --format dnsmasq.\n");
        text.append("table inet " + TABLE + "\ndelete table inet " + TABLE + "\n");
        text.append("table inet " + TABLE + " {\n");
        Map<String, SortedSet<Integer>> sets = new LinkedHashMap<>();
        rules.forEach(rule -> sets.put(setName(rule.ports()), rule.ports()));
        for (String name : sets.keySet()) {
            text.append(set(name + "_v4", "ipv4_addr")).append(set(name + "_v6", "ipv6_addr"));
        }
        text.append("\tchain forward {\n");
        text.append("\t\ttype filter hook forward priority 0; policy drop;\n");
        text.append("\t\tct state established,related accept\n");
        sets.forEach(
                (name, ports) -> {
                    String to = " tcp dport { " + join(ports, ", ") + " } accept\n";
                    text.append("\t\tip daddr @" + name + "_v4" + to);
                    text.append("\t\tip6 daddr @" + name + "_v6" + to);
                });
        return text.append("\t}\n}\n").toString();
    }

    private static String set(String name, String type) {
        return "\tset " + name + " {\n\t\ttype " + type + "\n\t\ttimeout 1h\n\t}\n";
    }

    private static String setName(SortedSet<Integer> ports) {
        return "ports_" + join(ports, "_");
    }

    private static String join(SortedSet<Integer> ports, String between) {
        List<String> words = new ArrayList<>();
        ports.forEach(port -> words.add(port.toString()));
        return String.join(between, words);
    }

    private SortedSet<Integer> ports() {
        SortedSet<Integer> ports = new TreeSet<>();
        rules.forEach(rule -> ports.addAll(rule.ports()));
        return ports;
    }
}
