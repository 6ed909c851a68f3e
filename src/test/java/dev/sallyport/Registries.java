package dev.sallyport;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Registries of several kinds, each with one tiny package, as files of a [WebServer]: each is at
/// its name below `registry.example`.
///
/// @param root where the packages are made
record Registries(Path root, WebServer web) {
    static final List<String> NAMES = List.of("npm", "pypi", "maven", "deb", "go", "cargo");

    void publishAll() throws Exception {
        npmPackage();
        wheel();
        mavenParent();
        debianPackage();
        goModule();
        crate();
    }

    private static byte[] hash(String algorithm, Path file) throws Exception {
        return MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
    }

    private void npmPackage() throws Exception {
        Path files = web.files("npm.registry.example");
        Path made = Files.createDirectories(root.resolve("npm/package"));
        Files.writeString(
                made.resolve("package.json"), "{\"name\":\"tiny-left\",\"version\":\"1.0.0\"}");
        Files.writeString(made.resolve("index.js"), "module.exports = 'from the registry';\n");
        Path tarball =
                Files.createDirectories(files.resolve("tiny-left/-"))
                        .resolve("tiny-left-1.0.0.tgz");
        Command.of("tar", "-czf", tarball.toString(), "package").in(made.getParent()).run().ok();
        Files.writeString(
                files.resolve("tiny-left/index.json"),
                """
                {"name":"tiny-left","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"tiny-left","version":"1.0.0",
                "dist":{"tarball":"https://npm.registry.example/tiny-left/-/tiny-left-1.0.0.tgz","integrity":"sha512-%s"}}}}
                """
                        .formatted(Base64.getEncoder().encodeToString(hash("SHA-512", tarball))));
    }

    private void wheel() throws Exception {
        Path files = web.files("pypi.registry.example");
        Path made = Files.createDirectories(root.resolve("wheel"));
        Path info = Files.createDirectories(made.resolve("tiny_left-1.0.0.dist-info"));
        Files.writeString(made.resolve("tiny_left.py"), "ORIGIN = 'from the index'\n");
        Files.writeString(
                info.resolve("METADATA"),
                "Metadata-Version: 2.1\nName: tiny-left\nVersion: 1.0.0\n");
        Files.writeString(
                info.resolve("WHEEL"),
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
        Files.writeString(
                info.resolve("RECORD"),
                "tiny_left.py,,\ntiny_left-1.0.0.dist-info/METADATA,,\ntiny_left-1.0.0.dist-info/WHEEL,,\ntiny_left-1.0.0.dist-info/RECORD,,\n");
        Path wheel =
                Files.createDirectories(files.resolve("packages"))
                        .resolve("tiny_left-1.0.0-py3-none-any.whl");
        Command.of(
                        "python3",
                        "-m",
                        "zipfile",
                        "-c",
                        wheel.toString(),
                        "tiny_left.py",
                        info.getFileName().toString())
                .in(made)
                .run()
                .ok();
        Files.writeString(
                Files.createDirectories(files.resolve("simple/tiny-left")).resolve("index.html"),
                "<!DOCTYPE html><html><body><a href=\"/packages/%s#sha256=%s\">%s</a></body></html>"
                        .formatted(
                                wheel.getFileName(),
                                HexFormat.of().formatHex(hash("SHA-256", wheel)),
                                wheel.getFileName()));
    }

    private void mavenParent() throws Exception {
        Path directory =
                Files.createDirectories(
                        web.files("maven.registry.example").resolve("example/parent/1"));
        Path pom = directory.resolve("parent-1.pom");
        Files.writeString(
                pom,
                """
                <project><modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>parent</artifactId>
                <version>1</version><packaging>pom</packaging></project>
                """);
        Files.writeString(
                directory.resolve("parent-1.pom.sha1"),
                HexFormat.of().formatHex(hash("SHA-1", pom)));
    }

    void debianPackage() throws Exception {
        Path files = web.files("deb.registry.example");
        Path made = Files.createDirectories(root.resolve("deb/tiny-left"));
        Files.createDirectories(made.resolve("DEBIAN"));
        Files.writeString(
                made.resolve("DEBIAN/control"),
                "Package: tiny-left\nVersion: 1.0\nArchitecture: all\nMaintainer: T <t@test.example>\nDescription: tiny\n");
        Path deb = Files.createDirectories(files.resolve("pool")).resolve("tiny-left_1.0_all.deb");
        Command.of("dpkg-deb", "--build", "--root-owner-group", made.toString(), deb.toString())
                .run()
                .ok();
        String architecture = Command.of("dpkg", "--print-architecture").run().ok();
        Path index = files.resolve("dists/stable/main/binary-" + architecture);
        Files.writeString(
                Files.createDirectories(index).resolve("Packages"),
                "Package: tiny-left\nVersion: 1.0\nArchitecture: all\nMaintainer: T <t@test.example>\nFilename: pool/tiny-left_1.0_all.deb\nSize: %d\nSHA256: %s\nDescription: tiny\n"
                        .formatted(
                                Files.size(deb), HexFormat.of().formatHex(hash("SHA-256", deb))));
    }

    private void goModule() throws IOException {
        Path versions =
                Files.createDirectories(
                        web.files("go.registry.example").resolve("left.example/tiny/@v"));
        String mod = "module left.example/tiny\n";
        Files.writeString(versions.resolve("list"), "v1.0.0\n");
        Files.writeString(
                versions.resolve("v1.0.0.info"),
                "{\"Version\":\"v1.0.0\",\"Time\":\"2026-01-01T00:00:00Z\"}");
        Files.writeString(versions.resolve("v1.0.0.mod"), mod);
        Map<String, String> files = new TreeMap<>();
        files.put("go.mod", mod);
        files.put("tiny.go", "package tiny\n\nconst Origin = \"from the module proxy\"\n");
        try (ZipOutputStream zip =
                new ZipOutputStream(Files.newOutputStream(versions.resolve("v1.0.0.zip")))) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry("left.example/tiny@v1.0.0/" + file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void crate() throws Exception {
        Path files = web.files("cargo.registry.example");
        Path made = Files.createDirectories(root.resolve("crate/tiny-left-1.0.0"));
        Files.writeString(
                made.resolve("Cargo.toml"),
                "[package]\nname = \"tiny-left\"\nversion = \"1.0.0\"\n");
        Files.writeString(
                Files.createDirectories(made.resolve("src")).resolve("lib.rs"),
                "pub const ORIGIN: &str = \"from the crate registry\";\n");
        Path crate =
                Files.createDirectories(files.resolve("crates")).resolve("tiny-left-1.0.0.crate");
        Command.of("tar", "-czf", crate.toString(), "tiny-left-1.0.0")
                .in(made.getParent())
                .run()
                .ok();
        Path index = Files.createDirectories(files.resolve("index/ti/ny"));
        Files.writeString(
                files.resolve("index/config.json"),
                "{\"dl\":\"https://cargo.registry.example/crates/{crate}-{version}.crate\"}");
        Files.writeString(
                index.resolve("tiny-left"),
                "{\"name\":\"tiny-left\",\"vers\":\"1.0.0\",\"deps\":[],\"features\":{},\"yanked\":false,\"cksum\":\"%s\"}\n"
                        .formatted(HexFormat.of().formatHex(hash("SHA-256", crate))));
    }
}
