package dev.sallyport.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A PostgreSQL database that keeps the sessions, for several gateways at once; `store:` of a
/// policy file. Without it they are in a file of this machine.
///
/// @param hosts one or more, as in `db.example:5432`; the one that takes writes is used
/// @param passwordFile read whenever a connection begins; absent when the server asks for none
/// @param caFile who may have signed the server's certificate; absent for the system's authorities
public record StorePlace(
        List<String> hosts,
        String database,
        String user,
        Optional<Path> passwordFile,
        Optional<Path> caFile) {
    private static final String HOST =
            "(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::[1-9][0-9]{0,4})?";
    private static final String NAME = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}";
    private static final Pattern FORM =
            Pattern.compile(
                    "postgresql://(%1$s)@(%2$s(?:,%2$s){0,7})/(%1$s)".formatted(NAME, HOST));
    private static final Pattern PASSWORD_INSIDE = Pattern.compile("[^/]*//[^/@]*:[^/]*@.*");
    private static final Pattern LOOPBACK =
            Pattern.compile("(?:127\\.[0-9.]+|localhost|\\[::1\\])(?::[0-9]+)?");
    private static final Pattern PORT = Pattern.compile(":([0-9]+)$");
    private static final int PASSWORD_BYTES_MAX = 1_024;
    private static final int PORT_MAX = 65_535;

    static final String KEY = "store";
    private static final String URL = "url";
    private static final String PASSWORD_FILE = "password-file";
    private static final String CA_FILE = "ca-file";

    public StorePlace {
        hosts = List.copyOf(hosts);
    }

    /// What a policy file says of it, whatever else is right or wrong there.
    public static Optional<StorePlace> load(Path policy) throws IOException {
        return StrictYaml.policy(policy).mapping(KEY, yaml -> read(policy, yaml));
    }

    /// The password is not looked at.
    ///
    /// @param policy the policy file
    static StorePlace read(Path policy, YamlMapping yaml) throws IOException {
        yaml.requireOnly(List.of(URL, PASSWORD_FILE, CA_FILE));
        String text = yaml.requiredText(URL);
        if (PASSWORD_INSIDE.matcher(text).matches()) {
            throw yaml.problem(
                    URL,
                    "contains a password.",
                    "Remove it, and write it into a file that password-file names.");
        }
        Matcher url = FORM.matcher(text);
        if (!url.matches()) {
            throw malformed(yaml);
        }
        Optional<Path> ca = yaml.text(CA_FILE).map(policy::resolveSibling).map(Path::normalize);
        var _ = CaFile.read(policy, yaml);
        return new StorePlace(
                hosts(yaml, url.group(2)),
                url.group(3),
                url.group(1),
                yaml.text(PASSWORD_FILE).map(policy::resolveSibling).map(Path::normalize),
                ca);
    }

    private static ConfigException malformed(YamlMapping yaml) {
        return yaml.problem(
                URL,
                "is not the URL of a PostgreSQL database.",
                "Write it as in postgresql://user@db.example:5432/sallyport.");
    }

    private static List<String> hosts(YamlMapping yaml, String list) throws ConfigException {
        List<String> hosts = List.of(list.split(",", -1));
        for (String host : hosts) {
            Matcher port = PORT.matcher(host);
            if (port.find() && Integer.parseInt(port.group(1)) > PORT_MAX) {
                throw malformed(yaml);
            }
        }
        return hosts;
    }

    /// As a person wrote it.
    public String shown() {
        return "postgresql://" + user + "@" + String.join(",", hosts) + "/" + database;
    }

    /// Whether nothing of it leaves this machine.
    private boolean isHere() {
        return hosts.stream().allMatch(host -> LOOPBACK.matcher(host).matches());
    }

    /// What the driver is told: to verify the server's certificate and name, unless it is on this
    /// machine and has none, and to use nothing that lies about in the account's home.
    public Properties driverSettings() {
        Properties settings = new Properties();
        settings.setProperty("user", user);
        settings.setProperty("targetServerType", "primary");
        settings.setProperty("gssEncMode", "disable");
        boolean plain = isHere() && caFile.isEmpty();
        settings.setProperty("sslmode", plain ? "disable" : "verify-full");
        settings.setProperty("sslcert", "");
        settings.setProperty("sslkey", "");
        settings.setProperty("passfile", "/dev/null");
        caFile.ifPresentOrElse(
                file -> settings.setProperty("sslrootcert", file.toString()),
                () ->
                        settings.setProperty(
                                "sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory"));
        return settings;
    }

    /// Where the driver connects to one of the hosts. It gets one at a time: all that are in one
    /// address share one limit of time, and one that is dark would leave nothing to the next.
    public String driverUrl(String host) {
        return "jdbc:postgresql://" + host + "/" + database;
    }

    /// The password as it is at the moment.
    public Optional<String> password() throws IOException {
        if (passwordFile.isEmpty()) {
            return Optional.empty();
        }
        Path file = passwordFile.get();
        try {
            Ownership.requireSafeAncestors(file);
            Ownership.requirePrivateFile(file);
        } catch (ConfigException e) {
            throw new ConfigException(
                    "The password of the session store cannot be used: " + e.problem(),
                    Files.exists(file) ? e.remedy() : "Write it there, in a file with mode 600.");
        }
        String text =
                Files.size(file) > PASSWORD_BYTES_MAX
                        ? ""
                        : Files.readString(file, StandardCharsets.UTF_8).stripTrailing();
        if (text.isEmpty() || text.lines().count() > 1) {
            throw new ConfigException(
                    file + " does not contain one password.",
                    "Write the password of the session store there, on one line.");
        }
        return Optional.of(text);
    }
}
