package dev.sallyport.bench;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What [FairnessBench] lets hostile sandboxes do.
///
/// @param sandboxes that attack
record Attack(String name, String script, int sandboxes) {
    static final String BULK_HOST = "bulk.test.example";

    static final String DOWNLOADS =
            "for i in $(seq 30); do (while :; do curl -s -o /dev/null https://%s/bulk; done) & done; wait"
                    .formatted(BULK_HOST);

    /// One program for all connections of a sandbox: hundreds of them would be an attack on the
    /// machine. It reads 2 KiB a second of each and sleeps. curl with `--limit-rate` and many
    /// transfers does not sleep: its loop takes all the time of a processor.
    static final String HELD =
            """
            python3 -c "
            import socket, ssl, time
            trust = ssl.create_default_context()
            def ask():
                held = trust.wrap_socket(socket.create_connection((\\"%1$s\\", 443)), server_hostname=\\"%1$s\\")
                held.sendall(b\\"GET /bulk HTTP/1.1\\r\\nHost: %1$s\\r\\n\\r\\n\\")
                held.settimeout(0.001)
                return held
            all = [None] * 40
            while True:
                for i in range(40):
                    try:
                        all[i] = all[i] or ask()
                        got = all[i].recv(2048)
                        if not got or got.startswith(b\\"HTTP/1.1 4\\"):
                            all[i] = None
                    except TimeoutError:
                        pass
                    except OSError:
                        all[i] = None
                time.sleep(1)
            "
            """
                    .formatted(BULK_HOST);

    private static final int ALLOWED = Limits.standard().sharing().connectionsPerSandboxMax();

    /// Always more than a sandbox may have; each new one takes the place of the oldest. The oldest
    /// is younger than the gateway's limit for a head, or there would be fewer.
    static final String SLOW_HEADS =
            "all=(); while :; do exec {f}<>/dev/tcp/127.0.0.1/80 && printf \"GET / HTTP/1.1\\r\\nHost: l\" >&$f; all+=($f); if [ ${#all[@]} -gt %d ]; then f=${all[0]}; exec {f}>&-; all=(${all[@]:1}); fi; sleep 0.02; done"
                    .formatted(ALLOWED + ALLOWED / 10);

    /// One prepared body again and again, by a client that only sends.
    static final String PUSH_LOOP =
            "while :; do curl -s -m 300 -X POST -T push.body -H Expect: -H Content-Type:application/x-git-receive-pack-request http://gateway.sallyport/git/%s/acme/large.git/git-receive-pack | grep -a path-not-allowed >>refused; done"
                    .formatted(GitServer.HOST);

    /// For a shell and all that it starts. Where the kernel groups processes by their session, the
    /// priority is also that of the group; it takes one such wish in a tenth of a second.
    static final String LOWEST =
            "renice -n 19 -p $$ >/dev/null; for i in $(seq 100); do [ -e /proc/self/autogroup ] || break; (echo 19 >/proc/self/autogroup) 2>/dev/null && break; sleep 0.2; done; ";

    private static final Pattern GROUP = Pattern.compile("sallyport-[0-9a-f]+");

    /// Whether a sandbox has processors only while nobody else wants one. As an ordinary user there
    /// are no groups, and the priority does it.
    ///
    /// @param membership what a process of the sandbox reads in `/proc/self/cgroup`
    static void setIdle(String membership, boolean idle) throws IOException {
        Matcher group = GROUP.matcher(membership);
        if (group.find()) {
            String wanted = "*/" + group.group() + "/cpu.idle";
            // Groups of others come and go meanwhile, which it complains about.
            var found = Command.of("find", "/sys/fs/cgroup", "-maxdepth", "6", "-path", wanted);
            for (String file : found.run().out().lines().toList()) {
                Files.writeString(Path.of(file), idle ? "1" : "0");
            }
        }
    }
}
