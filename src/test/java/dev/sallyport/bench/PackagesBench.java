package dev.sallyport.bench;

import dev.sallyport.config.SystemCertificates;
import dev.sallyport.confine.Jvm;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.NpmProject;
import dev.sallyport.fixture.PresetRules;
import dev.sallyport.fixture.Registry;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A project of each kind gets its packages, with an empty cache, from a registry on this machine
/// and from one that is as far away as real ones are: in a sandbox through the rules of the preset,
/// beside the same command that asks the registry itself.
public final class PackagesBench {
    private static final int ROUNDS = Run.sized(7, 1);
    private static final int NPM_PACKAGES = Run.sized(320, 40);
    private static final int PACKAGES = Run.sized(60, 5);
    private static final Duration COMMAND_MAX = Duration.ofMinutes(5);

    /// The registry's own place, so that its addresses are the same in both ways.
    private static final String NEAR = "127.0.0.77";

    /// The same registry behind a relay.
    private static final String FAR = "127.0.0.78";

    private static final int FAR_MILLIS = 20;
    private static final long BITS_PER_SECOND = 1_000_000_000;

    /// Only the tool is counted. Nothing of the machine's configuration has a part in it. What the
    /// round before has left is moved away and not removed: for seconds after files were removed,
    /// ext4 searches for numbers to give to new ones, which can take longer than all the rest.
    @SuppressWarnings("InlineFormatString") // As long as a file.
    private static final String TIMED =
            """
            set -e
            unset JAVA_HOME http_proxy https_proxy HTTP_PROXY HTTPS_PROXY PIP_FIND_LINKS
            export npm_config_globalconfig=/dev/null npm_config_userconfig=/nonexistent npm_config_update_notifier=false
            export PIP_CONFIG_FILE=/dev/null GOENV=off GOFLAGS=-modcacherw GONOSUMDB=left.example RUSTC_BOOTSTRAP=1
            cd %s
            old=../old/$(date +%%s%%N)
            mkdir -p $old
            for left in node_modules cache go.sum Cargo.lock; do
                if test -e $left; then mv $left $old; fi
            done
            s=$(date +%%s%%N)
            %s >/dev/null
            e=$(date +%%s%%N)
            test "$(ls -d %s | wc -l)" = %d
            echo $((e - s))
            """;

    /// @param command run in the project
    /// @param packages that it then has, as the shell finds them
    private record Tool(String name, String title, String command, String packages, int count) {
        String script(Path projects) {
            return TIMED.formatted(projects.resolve(name), command, packages, count);
        }
    }

    private static final List<Tool> TOOLS =
            List.of(
                    new Tool(
                            "npm",
                            "npm ci",
                            "npm ci --no-audit --no-fund --loglevel error --cache \"$PWD/cache\""
                                    + " --registry https://npm.registry.example/",
                            "node_modules/pack-* node_modules/@many/*",
                            NPM_PACKAGES),
                    new Tool(
                            "pip",
                            "pip install",
                            "/usr/bin/python3 -m pip install -q --disable-pip-version-check"
                                    + " --no-cache-dir --target cache --index-url"
                                    + " https://pypi.registry.example/simple -r requirements.txt",
                            "cache/pack_*.py",
                            PACKAGES),
                    new Tool(
                            "maven",
                            "mvn validate",
                            "mvn -B -q -s settings.xml -Dmaven.repo.local=\"$PWD/cache\" validate",
                            "cache/example/pack-*",
                            PACKAGES),
                    new Tool(
                            "go",
                            "go mod download",
                            "GOPROXY=https://go.registry.example GOMODCACHE=\"$PWD/cache\""
                                    + " go mod download",
                            "cache/left.example/pack-*",
                            PACKAGES),
                    new Tool(
                            "cargo",
                            "cargo fetch",
                            "CARGO_HOME=\"$PWD/cache\" PATH=/usr/bin:/bin cargo -q -Z sparse-registry"
                                    + " fetch",
                            "cache/registry/src/*/pack-*",
                            PACKAGES));

    private PackagesBench() {}

    public static void main(String[] args) throws IOException {
        Run.bench("packages", PackagesBench::measure);
    }

    private static String host(String name) {
        return name + ".registry.example";
    }

    private static void measure(Run run) throws IOException {
        List<String> hosts =
                List.of("npm", "pypi", "wheels", "maven", "go", "cargo").stream()
                        .map(PackagesBench::host)
                        .toList();
        WebServer web = run.using(WebServer.startAlsoAt(NEAR, run.root().resolve("web"), hosts));
        publish(web);
        compare(run, web, hosts, "", NEAR);
        run.using(
                new FarRelay(
                        new InetSocketAddress(InetAddress.getByName(FAR), 443),
                        web.tlsPort(),
                        FAR_MILLIS,
                        BITS_PER_SECOND));
        compare(run, web, hosts, "far-", FAR);
    }

    /// @param prefix of the names of the contests and of the directories
    /// @param place the address of the registry
    private static void compare(
            Run run, WebServer web, List<String> hosts, String prefix, String place)
            throws IOException {
        Installation sallyport = run.using(Installation.bare(run.root().resolve(prefix + "i")));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        sallyport.policy(rules(new PresetRules(place + ":443", "web-ca.pem")));
        NpmProject npm = new NpmProject(registry(web, "npm"), NPM_PACKAGES);
        Path outside = run.directory(prefix + "projects");
        for (Path projects : List.of(sallyport.workspace(), outside)) {
            npm.write(projects.resolve("npm"));
            write(projects);
        }
        sallyport
                .sallyport("new", "--name", "bench", "--runtime", "bubblewrap", "--no-repo")
                .run()
                .ok();
        Direct direct = Direct.of(run.directory(prefix + "direct"), place, web, hosts);
        for (Tool tool : TOOLS) {
            if ((prefix + tool.name()).contains(Run.ONLY)) {
                run.measure(contest(prefix, tool, sallyport, direct, outside));
            }
        }
    }

    private static String rules(PresetRules here) {
        return "egress:\n"
                + here.of("npm", host("npm"))
                + here.of("pypi", host("pypi"), host("wheels"))
                + here.of("maven", host("maven"))
                + here.of("go", host("go"))
                + here.of("cargo", host("cargo"));
    }

    private static Contest contest(
            String prefix, Tool tool, Installation sallyport, Direct direct, Path outside) {
        String[] inside = {"exec", "bench", "--", "bash", "-c", tool.script(sallyport.workspace())};
        String title = tool.title() + " of " + tool.count() + " packages";
        String distance = prefix.isEmpty() ? "" : ", " + FAR_MILLIS + " ms away";
        return new Contest("packages-" + prefix + tool.name(), title + distance, ROUNDS)
                .figure("wall", "s")
                .usage("s")
                .way(Contest.DIRECT, () -> seconds(direct.command(tool.script(outside))))
                .way(
                        Contest.US,
                        () -> seconds(sallyport.sallyport(inside)),
                        () -> Usage.processesOf(sallyport))
                .atMost("wall", 1.2, Contest.DIRECT);
    }

    private static Registry registry(WebServer web, String name) {
        return new Registry(web.files(host(name)), "https://" + host(name));
    }

    private static List<String> names() {
        return IntStream.range(0, PACKAGES).mapToObj("pack-%04d"::formatted).toList();
    }

    private static void publish(WebServer web) throws IOException {
        Random random = new Random(PACKAGES);
        for (String name : names()) {
            var code = NpmProject.code(random);
            registry(web, "pypi").wheel(name, registry(web, "wheels"), code);
            registry(web, "maven").pom(name);
            registry(web, "go").module("left.example/" + name, code);
            registry(web, "cargo").crate(name, code);
        }
    }

    /// The projects besides that of npm, each with all packages.
    private static void write(Path projects) throws IOException {
        put(projects, "pip/requirements.txt", "", "%s==1.0.0\n", "");
        put(
                projects,
                "maven/pom.xml",
                "<project><modelVersion>4.0.0</modelVersion><groupId>app</groupId><artifactId>app</artifactId>"
                        + "<version>1</version><packaging>pom</packaging><dependencyManagement><dependencies>",
                "<dependency><groupId>example</groupId><artifactId>%s</artifactId><version>1</version>"
                        + "<type>pom</type><scope>import</scope></dependency>",
                "</dependencies></dependencyManagement></project>");
        put(
                projects,
                "maven/settings.xml",
                "<settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf>"
                        + "<url>https://maven.registry.example/maven2/</url></mirror></mirrors></settings>",
                "",
                "");
        put(
                projects,
                "go/go.mod",
                "module app.example\n\ngo 1.19\n\nrequire (\n",
                "\tleft.example/%s v1.0.0\n",
                ")\n");
        put(
                projects,
                "cargo/Cargo.toml",
                "[package]\nname = \"app\"\nversion = \"1.0.0\"\n\n[dependencies]\n",
                "%s = {version = \"1\", registry = \"own\"}\n",
                "");
        put(
                projects,
                "cargo/.cargo/config.toml",
                "[registries.own]\nindex = \"sparse+https://cargo.registry.example/\"\n",
                "",
                "");
        put(projects, "cargo/src/main.rs", "fn main() {}\n", "", "");
    }

    private static void put(Path projects, String file, String head, String each, String tail)
            throws IOException {
        Path path = projects.resolve(file);
        Files.createDirectories(path.getParent());
        String lines = names().stream().map(each::formatted).collect(Collectors.joining());
        Files.writeString(path, head + lines + tail);
    }

    private static List<Double> seconds(Command command) {
        String out = command.within(COMMAND_MAX).run().ok();
        return List.of(Double.parseDouble(out.lines().toList().getLast()) / 1e9);
    }

    /// The tools without Sallyport: the registry's names lead to this machine, and its authority is
    /// trusted besides those that every program trusts, as in a sandbox. Reading one certificate
    /// instead of a hundred and more would make them faster than anybody has them.
    private record Direct(Path names, Path authority, Path bundle, Path javaStore) {
        static Direct of(Path directory, String place, WebServer web, List<String> hosts)
                throws IOException {
            Path names =
                    Files.writeString(
                            directory.resolve("hosts"),
                            place + " " + String.join(" ", hosts) + "\n");
            String usual = Files.readString(SystemCertificates.bundle().orElseThrow());
            Path bundle =
                    Files.writeString(
                            directory.resolve("bundle.pem"),
                            usual + Files.readString(web.caFile()));
            Path javaStore =
                    Files.copy(
                            Jvm.ownHome().resolve("lib/security/cacerts"),
                            directory.resolve("cacerts"));
            Command.of(
                            "keytool",
                            "-importcert",
                            "-noprompt",
                            "-alias",
                            "own",
                            "-file",
                            web.caFile().toString(),
                            "-keystore",
                            javaStore.toString(),
                            "-storepass",
                            "changeit")
                    .run()
                    .ok();
            return new Direct(names, web.caFile(), bundle, javaStore);
        }

        Command command(String script) {
            return Command.of(
                            "bwrap",
                            "--dev-bind",
                            "/",
                            "/",
                            "--ro-bind",
                            names.toString(),
                            "/etc/hosts",
                            "bash",
                            "-c",
                            script)
                    .with("NODE_EXTRA_CA_CERTS", authority.toString())
                    .with("PIP_CERT", bundle.toString())
                    .with("REQUESTS_CA_BUNDLE", bundle.toString())
                    .with("SSL_CERT_FILE", bundle.toString())
                    .with("CARGO_HTTP_CAINFO", bundle.toString())
                    .with(
                            "MAVEN_OPTS",
                            "-Djavax.net.ssl.trustStore="
                                    + javaStore
                                    + " -Djavax.net.ssl.trustStorePassword=changeit");
        }
    }
}
