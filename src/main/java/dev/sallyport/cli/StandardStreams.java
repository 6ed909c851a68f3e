package dev.sallyport.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Which of the person's standard streams are carried to a command and back by us, instead of being
/// handed to it.
///
/// What goes into a sandbox as an open descriptor can be opened anew there, through
/// `/proc/self/fd`, with other rights than it came with: a file that is the input could be written,
/// a log be emptied, a terminal be read, even after the command that got it has ended. So only what
/// leads nowhere else is handed over: pipes, sockets and `/dev/null`.
record StandardStreams(boolean in, boolean out, boolean err) {
    static final StandardStreams NONE = new StandardStreams(false, false, false);

    private static final int TYPE = 0xf000;
    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xc000;
    private static final int CHARACTER_DEVICE = 0x2000;
    private static final long DEV_NULL = 0x103;

    /// How long a stream that something in the sandbox still holds must be silent before we leave.
    private static final Duration SILENCE = Duration.ofMillis(100);

    static StandardStreams ofThisProcess() {
        return new StandardStreams(leadsElsewhere(0), leadsElsewhere(1), leadsElsewhere(2));
    }

    private static boolean leadsElsewhere(int descriptor) {
        Path path = Path.of("/proc/self/fd/" + descriptor);
        try {
            int type = (int) Files.getAttribute(path, "unix:mode") & TYPE;
            boolean nothing =
                    type == CHARACTER_DEVICE
                            && (long) Files.getAttribute(path, "unix:rdev") == DEV_NULL;
            return type != PIPE && type != SOCKET && !nothing;
        } catch (IOException e) {
            return true;
        }
    }

    void redirect(ProcessBuilder builder) {
        builder.redirectInput(in ? Redirect.PIPE : Redirect.INHERIT);
        builder.redirectOutput(out ? Redirect.PIPE : Redirect.INHERIT);
        builder.redirectError(err ? Redirect.PIPE : Redirect.INHERIT);
    }

    /// Returns the status of the process when it has ended and all that it said has arrived.
    int carryUntilEnd(Process process) throws InterruptedException {
        List<Carrier> answers = new ArrayList<>();
        if (in) {
            // In the background a terminal would stop us for reading; now the read fails instead.
            Signals.ignore("TTIN");
            Carrier.start(new FileInputStream(FileDescriptor.in), process.getOutputStream(), true);
        }
        if (out) {
            answers.add(
                    Carrier.start(
                            process.getInputStream(),
                            new FileOutputStream(FileDescriptor.out),
                            false));
        }
        if (err) {
            answers.add(
                    Carrier.start(
                            process.getErrorStream(),
                            new FileOutputStream(FileDescriptor.err),
                            false));
        }
        int status = process.waitFor();
        for (Carrier answer : answers) {
            answer.awaitEndOrSilence();
        }
        return status;
    }

    /// One direction of one stream.
    private static final class Carrier implements Runnable {
        private static final int BYTES = 65_536;

        private final InputStream from;
        private final OutputStream to;
        private final boolean closing;
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this);
        private final AtomicLong steps = new AtomicLong();
        private volatile boolean writing;

        private Carrier(InputStream from, OutputStream to, boolean closing) {
            this.from = from;
            this.to = to;
            this.closing = closing;
        }

        /// @param closing whether the end of one is the end of the other: not of our own output,
        ///   where we have something to say when the command is gone
        static Carrier start(InputStream from, OutputStream to, boolean closing) {
            Carrier carrier = new Carrier(from, to, closing);
            carrier.thread.start();
            return carrier;
        }

        @Override
        public void run() {
            try (from;
                    OutputStream _ = closing ? to : OutputStream.nullOutputStream()) {
                byte[] buffer = new byte[BYTES];
                for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                    writing = true;
                    to.write(buffer, 0, n);
                    to.flush();
                    steps.incrementAndGet();
                    writing = false;
                }
            } catch (IOException e) {
                writing = false;
            }
        }

        void awaitEndOrSilence() throws InterruptedException {
            long seen;
            do {
                seen = steps.get();
            } while (!thread.join(SILENCE) && (writing || steps.get() != seen));
        }
    }
}
