package dev.sallyport.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The format of an index, which a sandbox writes as it likes (I13). `HostGitTest` has what git
/// makes of one.
class GitIndexTest {
    private static final int HASH = 20;
    private static final String TRAILER = "h".repeat(HASH);
    private static final int FIRST = 12;
    private static final int LONG_NAME = 0xfff;

    @TempDir Path directory;

    private Set<String> strange(String index) throws IOException {
        Path file = Files.writeString(directory.resolve("index"), index, ISO_8859_1);
        return GitIndex.strange(file, HASH);
    }

    private static String number(int number) {
        return new String(ByteBuffer.allocate(4).putInt(number).array(), ISO_8859_1);
    }

    private static String header(int version, int entries) {
        return "DIRC" + number(version) + number(entries);
    }

    /// Up to the name.
    private static String stat(int flags) {
        return "s".repeat(40 + HASH) + number(flags).substring(2);
    }

    private static String entry(String name) {
        String entry = stat(Math.min(name.length(), LONG_NAME)) + name;
        return entry + "\0".repeat(8 - entry.length() % 8);
    }

    private static String extension(String name, String content) {
        return name + number(content.length()) + content;
    }

    private static String end(int first) {
        return extension("EOIE", number(first) + TRAILER);
    }

    private static String offsets(int... numbers) {
        StringBuilder content = new StringBuilder(number(1));
        for (int number : numbers) {
            content.append(number(number));
        }
        return extension("IEOT", content.toString());
    }

    private static final String TWO = header(2, 2) + entry("a") + entry("b/c");
    private static final int SECOND = FIRST + entry("a").length();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a",
                "a//b",
                "./a",
                "a/.",
                "../a",
                "a/../../b",
                ".git",
                ".git/hooks/x",
                "a/.GIT/x",
                "a/.git\0b"
            })
    void i13APathThatGitWouldNotEnterIsStrange(String path) throws IOException {
        assertThat(strange(header(2, 2) + entry("a") + entry(path) + TRAILER))
                .containsExactly(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", ".gitignore", "a/..b", "a.git/x", "...", "git"})
    void anOrdinaryPathIsNot(String path) throws IOException {
        assertThat(strange(header(2, 1) + entry(path) + TRAILER)).isEmpty();
    }

    /// A large index is large because of many files, not because of many such paths.
    @Test
    void ofManyStrangePathsSomeAreKept() throws IOException {
        StringBuilder index = new StringBuilder(header(2, 5_000));
        for (int i = 0; i < 5_000; i++) {
            index.append(entry("../" + i));
        }
        assertThat(strange(index + TRAILER)).hasSize(100);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource
    void i13WhatComesLaterIsFoundBehindWhatGitMayWrite(String before) throws IOException {
        assertThat(strange(before + entry("../x") + TRAILER)).containsExactly("../x");
    }

    static Stream<String> i13WhatComesLaterIsFoundBehindWhatGitMayWrite() {
        return Stream.of(
                header(2, 2) + entry("a".repeat(LONG_NAME - 1)),
                header(2, 2) + entry("a".repeat(LONG_NAME)),
                header(2, 2) + entry("a".repeat(LONG_NAME + 10)),
                header(3, 2) + stat(0x4001) + "ffa" + "\0".repeat(7));
    }

    /// A name of version 4 says how many bytes of the one before it are to be dropped.
    @Test
    void i13ShortenedNamesArePutTogether() throws IOException {
        String last = "a".repeat(135) + "/.git/x";
        assertThat(
                        strange(
                                header(4, 3)
                                        + (stat(200) + "\0" + "a".repeat(200) + "\0")
                                        + (stat(last.length()) + "A/.git/x\0")
                                        + (stat(4) + "\u0080\u000e../x\0")
                                        + TRAILER))
                .containsExactly("../x", last);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource
    void i13ExtensionsOfGitsAreNoFault(String extensions) throws IOException {
        assertThat(strange(TWO + extensions + TRAILER)).isEmpty();
    }

    static Stream<String> i13ExtensionsOfGitsAreNoFault() {
        return Stream.of(
                "",
                extension("TREE", "x"),
                extension("TREE", "x") + end(TWO.length()),
                end(TWO.length()) + extension("TREE", "x"),
                extension("EOIE", number(TWO.length()) + "h".repeat(32)),
                offsets(FIRST, 2),
                offsets(FIRST, 1, SECOND, 1) + end(TWO.length()));
    }

    /// Git with threads, or another version of it, could read something else in it than we do.
    @ParameterizedTest(name = "{index}")
    @MethodSource
    void i13WhatGitWouldNotWriteIsRefused(String index) {
        assertThatThrownBy(() -> strange(index)).isInstanceOf(IOException.class);
    }

    static Stream<String> i13WhatGitWouldNotWriteIsRefused() {
        String unended = extension("TREE", end(TWO.length()));
        return Stream.of(
                "",
                TWO.replace("DIRC", "DIRX") + TRAILER,
                header(1, 0) + TRAILER,
                header(5, 0) + TRAILER,
                header(2, -1) + TRAILER,
                header(2, 3) + entry("a") + entry("b"),
                header(2, Integer.MAX_VALUE) + entry("a") + TRAILER,
                header(2, 1) + "s".repeat(30),
                header(2, 1) + stat(50) + "a\0",
                header(2, 1) + stat(LONG_NAME) + "a".repeat(LONG_NAME),
                TWO + extension("EOIE", number(FIRST) + "h".repeat(32)) + TRAILER,
                TWO + extension("EOIE", "") + TRAILER,
                header(2, 1) + stat(1) + "ab" + TRAILER,
                header(4, 1) + stat(1) + "\u0001a\0" + TRAILER,
                header(4, 1) + stat(0) + "\u0081" + "\u00ff".repeat(30) + TRAILER,
                header(4, 2) + stat(2) + "\0ab\0" + stat(1) + "\0c\0" + TRAILER,
                TWO + "TREE" + number(-1) + TRAILER,
                TWO + "TREE" + number(-8) + TRAILER,
                TWO + "TREE" + number(1) + TRAILER,
                TWO + end(FIRST) + TRAILER,
                TWO + unended + TRAILER,
                TWO + offsets(FIRST, 1, SECOND + 1, 1) + TRAILER,
                TWO + offsets(FIRST, 0) + TRAILER,
                TWO + offsets(FIRST, 3) + TRAILER,
                TWO + offsets(FIRST, 2, SECOND, 1) + TRAILER,
                TWO + offsets(FIRST) + TRAILER);
    }
}
