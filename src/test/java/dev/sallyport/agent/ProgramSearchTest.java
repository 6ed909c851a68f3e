package dev.sallyport.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.AgentProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where programs are found, and how little of the host is mounted for them. The trees are as the
/// installers leave them.
class ProgramSearchTest {
    private static final String NPM = "@vendor/agent";
    private static final AgentProfile.Program AGENT =
            new AgentProfile.Program("agent", NPM, "npm install -g @vendor/agent");
    private static final String SCRIPT = "#!/usr/bin/env node\n";

    private static final ProgramSearch.Links REAL = path -> Optional.of(path.toRealPath());

    @TempDir Path directory;
    private Path home;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectory(directory.toRealPath().resolve("home"));
    }

    private Path program(String path, String content) throws IOException {
        Path file = home.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void link(String path, String target) throws IOException {
        Path link = home.resolve(path);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }

    private void describe(String directory) throws IOException {
        Files.writeString(
                home.resolve(directory).resolve("package.json"),
                "{\"version\":\"1.2.3\",\"bin\":{\"agent\":\"cli.js\"}}");
    }

    private FoundProgram find(String path) throws IOException {
        return new ProgramSearch(Map.of("PATH", path), home, REAL).find(AGENT).orElseThrow();
    }

    private void node(String prefix) throws IOException {
        program(prefix + "/bin/node", "\177ELF");
        Files.createDirectories(home.resolve(prefix + "/include/node"));
        Files.createDirectories(home.resolve(prefix + "/lib/node_modules/npm"));
        Files.createDirectories(home.resolve(prefix + "/etc"));
        Files.writeString(home.resolve(prefix + "/etc/npmrc"), "//host/:_authToken=secret");
    }

    @Test
    void oneThatIsNowhereIsNotFound() throws IOException {
        assertThat(new ProgramSearch(Map.of(), home, REAL).find(AGENT)).isEmpty();
        assertThat(new ProgramSearch(Map.of("PATH", "bin:.:"), home, REAL).find(AGENT)).isEmpty();
    }

    /// Installed by the vendor's script: a link to a file named by its version.
    @Test
    void aNativeProgramIsMountedAlone() throws IOException {
        Path file = program(".local/share/agent/versions/2.0.14", "\177ELF");
        link(".local/bin/agent", file.toString());
        assertThat(find(""))
                .isEqualTo(new FoundProgram(file, List.of(file), List.of(), Optional.of("2.0.14")));
    }

    private Path pythonProgram(String environment, String home) throws IOException {
        Path file = program(environment + "/bin/agent", "#!/usr/bin/env python3\n");
        Files.writeString(
                file.resolve("../../pyvenv.cfg").normalize(),
                "implementation = CPython\nhome = " + home + "\nversion_info = 3.12.11\n");
        link(".local/bin/agent", file.toString());
        return file.resolve("../..").normalize();
    }

    /// As pipx installs: the Python is the system's, which is there already.
    @Test
    void ofAPythonProgramItsVirtualEnvironmentIsMounted() throws IOException {
        Path environment = pythonProgram(".local/share/pipx/venvs/agent", "/usr/bin");
        FoundProgram found = find("");
        assertThat(found.file()).isEqualTo(environment.resolve("bin/agent"));
        assertThat(found.mounts()).containsExactly(environment);
    }

    /// As uv installs: it has a Python of its own, and a link to it that does not name the patch.
    @Test
    void thePythonOfAVirtualEnvironmentIsMountedWithTheLinkThatNamesIt() throws IOException {
        Path all = home.resolve(".local/share/uv/python");
        program(".local/share/uv/python/cpython-3.12.11/bin/python3.12", "\177ELF");
        String named = all.resolve("cpython-3.12.11/bin").toString();
        Path environment = pythonProgram(".local/share/uv/tools/agent", named);
        assertThat(find("").mounts()).containsExactly(environment, all.resolve("cpython-3.12.11"));

        link(".local/share/uv/python/cpython-3.12", "cpython-3.12.11");
        Files.writeString(
                environment.resolve("pyvenv.cfg"), "home = " + all + "/cpython-3.12/bin\n");
        assertThat(find("").mounts()).containsExactly(environment, all);
    }

    @Test
    void underNvmTheNewestNodeIsMountedWithItsPackagesAndWithoutItsConfiguration()
            throws IOException {
        for (String version : new String[] {"v9.1.0", "v22.4.1"}) {
            String prefix = ".nvm/versions/node/" + version;
            node(prefix);
            program(prefix + "/lib/node_modules/" + NPM + "/cli.js", SCRIPT);
            describe(prefix + "/lib/node_modules/" + NPM);
            link(prefix + "/bin/agent", "../lib/node_modules/" + NPM + "/cli.js");
        }
        Path prefix = home.resolve(".nvm/versions/node/v22.4.1");
        FoundProgram found = find("");
        assertThat(found.file()).isEqualTo(prefix.resolve("lib/node_modules/" + NPM + "/cli.js"));
        assertThat(found.mounts())
                .contains(prefix.resolve("bin"), prefix.resolve("lib/node_modules"))
                .allMatch(mount -> !prefix.resolve("etc").startsWith(mount));
        assertThat(found.directories()).containsExactly(prefix.resolve("bin"));
        assertThat(found.version()).contains("1.2.3");
    }

    /// `npm config set prefix ~/.local`: what else is in there stays outside.
    @Test
    void ofAPrefixOnlyThePackageIsMounted() throws IOException {
        program(".local/lib/node_modules/" + NPM + "/cli.js", SCRIPT);
        program(".local/lib/node_modules/other/cli.js", SCRIPT);
        link(".local/bin/agent", "../lib/node_modules/" + NPM + "/cli.js");
        Path node = program("tools/node", "\177ELF");
        FoundProgram found = find(home.resolve("tools").toString());
        assertThat(found.mounts())
                .containsExactly(home.resolve(".local/lib/node_modules/" + NPM), node);
        assertThat(found.directories()).containsExactly(home.resolve("tools"));
    }

    /// `npm install` in a directory: packages lie side by side and need each other.
    @Test
    void ofALocalInstallationAllPackagesAreMounted() throws IOException {
        program("d/node_modules/" + NPM + "/cli.js", SCRIPT);
        link("d/node_modules/.bin/agent", "../" + NPM + "/cli.js");
        assertThat(find(home.resolve("d/node_modules/.bin") + ":/usr/bin").mounts())
                .contains(home.resolve("d/node_modules"));
    }

    @Test
    void voltasShimLeadsToThePackageAndItsNode() throws IOException {
        Path shim = program(".volta/bin/volta-shim", "\177ELF");
        link(".volta/bin/agent", shim.toString());
        link(".volta/bin/node", shim.toString());
        String image = ".volta/tools/image/packages/" + NPM + "/lib/node_modules/" + NPM;
        Path script = program(image + "/cli.js", SCRIPT);
        describe(image);
        node(".volta/tools/image/node/20.1.0");
        program(".volta/tools/user/bins/agent.json", "{\"platform\":{\"node\":\"20.1.0\"}}");
        FoundProgram found = find(home.resolve(".volta/bin").toString());
        assertThat(found.file()).isEqualTo(script);
        assertThat(found.mounts())
                .contains(home.resolve(image), home.resolve(".volta/tools/image/node/20.1.0/bin"));
        assertThat(found.version()).contains("1.2.3");
    }

    @Test
    void pnpmsShimLeadsToThePackage() throws IOException {
        program(".local/share/pnpm/agent", "#!/bin/sh\nexec node ...\n");
        String store = ".local/share/pnpm/global/5";
        Path script = program(store + "/.pnpm/agent@1/node_modules/" + NPM + "/cli.js", SCRIPT);
        describe(store + "/.pnpm/agent@1/node_modules/" + NPM);
        link(
                store + "/node_modules/" + NPM,
                home.resolve(store + "/.pnpm/agent@1/node_modules/" + NPM).toString());
        assertThat(find("").file()).isEqualTo(script);
    }

    /// Every sandbox has the system's, and nothing in it can be mounted.
    @Test
    void ofTheSystemNothingIsMounted() throws IOException {
        FoundProgram found =
                new ProgramSearch(Map.of("PATH", "/usr/bin"), home, REAL)
                        .find(new AgentProfile.Program("env", "", ""))
                        .orElseThrow();
        assertThat(found.mounts()).isEmpty();
        assertThat(found.directories()).isEmpty();
    }

    /// I15: a sandbox that can write to a directory of `PATH` does not choose what is mounted.
    @Test
    void i15AProgramBehindAPlantedLinkIsPassedOver() throws IOException {
        Path private0 = program("private/tool", "\177ELF");
        link("work/bin/agent", private0.toString());
        Path own = program(".local/bin/agent", "\177ELF");
        ProgramSearch.Links links =
                path ->
                        path.startsWith(home.resolve("work"))
                                ? Optional.empty()
                                : REAL.follow(path);
        ProgramSearch search =
                new ProgramSearch(Map.of("PATH", home.resolve("work/bin").toString()), home, links);
        assertThat(search.find(AGENT).orElseThrow().mounts()).containsExactly(own);
    }

    @Test
    void aPackageCannotNameAFileOutsideItself() throws IOException {
        Path shim = program(".local/share/pnpm/agent", "#!/bin/sh\n");
        program("private/tool", "\177ELF");
        String place = ".local/share/pnpm/global/5/node_modules/" + NPM;
        program(place + "/package.json", "{\"bin\":\"../../../../../../../../private/tool\"}");
        assertThat(find("").mounts()).containsExactly(shim);
    }
}
