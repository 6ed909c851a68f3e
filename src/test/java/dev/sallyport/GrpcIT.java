package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GrpcServer;
import dev.sallyport.fixture.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real gRPC client inside, a real gRPC server outside, and a host that is inspected between
/// them.
class GrpcIT {
    private static final String HOST = "grpc.test.example";
    private static final String KEY = "planted-key-" + "91c55e0b4d22847f3a";

    @TempDir Path root;

    @Test
    void callsOfAllKindsWorkThroughAnInspectedHost() throws Exception {
        try (GrpcServer server = GrpcServer.start(root.resolve("grpc"), HOST);
                Installation sallyport = Installation.bare(root.resolve("i"))) {
            Files.copy(server.caFile(), sallyport.home().resolve("grpc-ca.pem"));
            GrpcServer.client(sallyport.workspace().resolve("client.py"));
            sallyport.policy(
                    """
                    egress:
                      - host: %s
                        ports: [443]
                        methods: [POST]
                        paths: ["/test.Echo/**"]
                        inject: {secret: api, header: x-api-key}
                        dial: "%s"
                        ca-file: grpc-ca.pem
                    """
                            .formatted(HOST, server.dial()));
            sallyport
                    .sallyport("secret", "set", "api", "--host", HOST)
                    .input(KEY + "\n")
                    .run()
                    .ok();
            Command.Result result =
                    sallyport
                            .sallyport(
                                    "run",
                                    "--runtime",
                                    "bubblewrap",
                                    "--no-repo",
                                    "--",
                                    "/usr/bin/python3",
                                    "client.py",
                                    HOST)
                            .within(Duration.ofMinutes(5))
                            .run();
            assertThat(result.out().lines().filter(line -> !line.startsWith("leak told")))
                    .as(result.all())
                    .containsExactly(
                            "unary cba 1 2 b'\\x00\\xff'",
                            "down 1000",
                            "large down 32 True",
                            "up 100 1000",
                            "large up 32 " + 32 * (1 << 20),
                            "both 20 True [] OK",
                            "fail NOT_FOUND there is no such thing: 100% sure 2",
                            "missing UNIMPLEMENTED",
                            "denied PERMISSION_DENIED",
                            "leak UNAVAILABLE",
                            "begun begun",
                            "cancelled CANCELLED",
                            "deadline DEADLINE_EXCEEDED",
                            "many 50");
            assertThat(result.all()).doesNotContain(KEY);
            Await.until(() -> server.seen().containsAll(List.of("over cancelled", "over late")));
            // One for each call that was allowed.
            assertThat(server.seen()).filteredOn(line -> line.equals("key " + KEY)).hasSize(51);
            assertThat(sallyport.sallyport("audit", "show").run().ok())
                    .contains("/test.Echo/Unary", "/test.Other/Unary", "upstream-misbehaved");
        }
    }
}
