package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What a person reads of many changed build files.
class PathGroupsTest {
    private static Set<Path> paths(String... files) {
        return Stream.of(files).map(Path::of).collect(Collectors.toCollection(TreeSet::new));
    }

    /// @param pattern with a number in it
    private static Set<Path> many(int count, String pattern) {
        return IntStream.range(0, count)
                .mapToObj(i -> Path.of(pattern.formatted(i)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @SafeVarargs
    private static String fresh(Set<Path>... files) {
        Set<Path> all = new TreeSet<>();
        for (Set<Path> some : files) {
            all.addAll(some);
        }
        return PathGroups.text(Set.of(), all);
    }

    @Test
    void aFewAreNamedOneByOne() {
        assertThat(fresh(paths("a/pom.xml", "b/pom.xml", "c/pom.xml", "pom.xml", "d/pom.xml")))
                .isEqualTo("a/pom.xml, b/pom.xml, c/pom.xml, d/pom.xml, pom.xml");
    }

    @Test
    void thePackagesOfACacheAreOneEntry() {
        assertThat(fresh(many(60, "cargo/cache/src/pack-%04d-1.0.0/Cargo.toml")))
                .isEqualTo("cargo/cache/src/**/Cargo.toml (60 files)");
        assertThat(
                        fresh(
                                many(60, "cargo/cache/src/pack-%04d/Cargo.toml"),
                                many(7, "cargo/cache/src/pack-%04d/build.rs")))
                .isEqualTo(
                        "cargo/cache/src/**/Cargo.toml (60 files), cargo/cache/src/**/build.rs (7 files)");
    }

    /// Also one whose name and directory many others have.
    @Test
    void whatStandsAloneIsNamedHoweverManyOthersThereAre() {
        String told =
                fresh(
                        many(900, "lib/pack-%d/Makefile"),
                        many(900, "lib/pack-%d/package.json"),
                        many(900, "more/pack-%d/Makefile"),
                        many(900, "more/pack-%d/setup.py"),
                        many(900, "z-%d/Makefile"),
                        paths("Makefile", "lib/flake.nix", "src/app/build.rs"));
        assertThat(told)
                .isEqualTo(
                        "Makefile, src/app/build.rs, lib/flake.nix, lib/**/Makefile (900 files), more/**/Makefile (900 files) and 2700 more");
        assertThat(
                        PathGroups.text(
                                paths("lib/pack-1/Makefile"), many(900, "lib/pack-1%d/Makefile")))
                .as("a file that was there before")
                .isEqualTo("lib/pack-1/Makefile, lib/**/Makefile (900 files)");
    }

    @Test
    void allThatStandAloneAreNamed() {
        Set<Path> alone =
                paths(
                        "Makefile",
                        "pom.xml",
                        "mvnw",
                        "gradlew",
                        "a/tox.ini",
                        "b/setup.py",
                        "b/mvnw");
        assertThat(fresh(alone, many(9, "lib/%d/Cargo.toml")))
                .isEqualTo(
                        "Makefile, gradlew, mvnw, b/mvnw, pom.xml, b/setup.py, a/tox.ini and 9 more");
    }

    @Test
    void whatWasThereBeforeIsNamedHoweverManyNewOnesStandAlone() {
        assertThat(
                        PathGroups.text(
                                many(3, "app/%d/Makefile"),
                                paths("a/pom.xml", "b/mvnw", "c/gradlew", "d/tox.ini", "setup.py")))
                .startsWith("app/**/Makefile (3 files), ");
    }

    @Test
    void aDirectoryStandsForTheFilesInIt() {
        assertThat(fresh(many(30, ".mvn/%d.config"), paths("pom.xml")))
                .isEqualTo("pom.xml, .mvn/** (30 files)");
        assertThat(fresh(many(30, "lib/%d/.cargo/x/y"), paths(".cargo/config.toml")))
                .isEqualTo(".cargo/config.toml, lib/**/.cargo/** (30 files)");
    }

    @Test
    void manyDirectoriesWithAFewEachAreOneEntry() {
        assertThat(fresh(many(900, "z-%d/Makefile"), many(900, "z-%d/a/Makefile")))
                .isEqualTo("**/Makefile (1800 files)");
    }
}
