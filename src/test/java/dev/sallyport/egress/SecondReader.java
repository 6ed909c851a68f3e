package dev.sallyport.egress;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/// The JDK's own TLS server, asked which host a hello names.
final class SecondReader {
    private static final int APPLICATION_BYTES = 32_768;
    private static final int SERVER_NAME = 0;

    private SecondReader() {}

    /// Empty when it gives up on the hello before it comes to the name.
    static Optional<String> nameIn(byte[] wire) {
        Noting names = new Noting();
        SSLEngine engine = engine(names);
        ByteBuffer in = ByteBuffer.wrap(wire);
        ByteBuffer out = ByteBuffer.allocate(APPLICATION_BYTES);
        try {
            engine.beginHandshake();
            while (in.hasRemaining()) {
                SSLEngineResult result = engine.unwrap(in, out);
                for (Runnable task = engine.getDelegatedTask();
                        task != null;
                        task = engine.getDelegatedTask()) {
                    task.run();
                }
                if (result.bytesConsumed() == 0) {
                    break;
                }
            }
        } catch (SSLException _) {
            // It has no certificate, so it always ends like this; the name was read before.
        }
        return names.seen;
    }

    private static SSLEngine engine(SNIMatcher names) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, null, null);
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setSNIMatchers(List.of(names));
            engine.setSSLParameters(parameters);
            return engine;
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Noting extends SNIMatcher {
        private Optional<String> seen = Optional.empty();

        Noting() {
            super(SERVER_NAME);
        }

        @Override
        public boolean matches(SNIServerName name) {
            seen =
                    Optional.of(
                            new String(name.getEncoded(), StandardCharsets.ISO_8859_1)
                                    .toLowerCase(Locale.ROOT));
            return true;
        }
    }
}
