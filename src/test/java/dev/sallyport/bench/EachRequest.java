package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import java.util.List;
import java.util.stream.Stream;

/// A client that sends one request after the other on one connection and times each. wrk counts one
/// that was held up once for each request that it would have sent meanwhile; this one counts it
/// once. Plain HTTP only.
final class EachRequest {
    private static final String CLIENT =
            """
            import gc, socket, sys, time
            gc.disable()
            host, port, target, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
            time.sleep(1)
            server = socket.create_connection((host, port))
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ask = f"GET {target} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode()
            server.sendall(ask)
            time.sleep(0.3)
            first = server.recv(1 << 16)
            if not first.startswith(b"HTTP/1.1 200"):
                sys.exit(f"not answered: {first}")
            took = []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                begun = time.perf_counter_ns()
                server.sendall(ask)
                got = server.recv(1 << 16)
                while not got.endswith(first[-8:]):
                    got += server.recv(1 << 16)
                took.append(time.perf_counter_ns() - begun)
                if not got.startswith(b"HTTP/1.1 200"):
                    sys.exit(f"not answered: {got}")
            took.sort()
            print(took[len(took) // 2] / 1000, took[len(took) * 99 // 100] / 1000, len(took))
            """;

    private EachRequest() {}

    static List<String> argv(String host, int port, String target, int seconds) {
        return List.of(
                "python3", "-I", "-c", CLIENT, host, "" + port, target, Integer.toString(seconds));
    }

    /// Of half of all requests and of 99 of 100, how long they took at most, and how many there
    /// were.
    static List<Double> measured(Command client) {
        return Stream.of(client.run().ok().strip().split(" ")).map(Double::valueOf).toList();
    }
}
