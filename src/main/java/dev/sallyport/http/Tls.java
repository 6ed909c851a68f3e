package dev.sallyport.http;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

/// What all ends of TLS have in common: OpenSSL where it is there, and that both sides agree on
/// what is spoken inside. What OpenSSL holds is released by whoever has the context.
public final class Tls {
    private Tls() {}

    /// Adds that to a context. A key store of the usual type would first encrypt the own key for us
    /// alone, which takes far longer than all the rest.
    ///
    /// @param protocols in the order in which they are preferred
    public static SslContextBuilder speaking(SslContextBuilder builder, String... protocols) {
        return builder.keyStoreType("JKS")
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                protocols));
    }

    /// Every connection has its whole handshake. Tickets are off by a property of the process, see
    /// `confine.Jvm`; there is no other switch.
    public static SslContext withoutResumption(SslContext context) {
        if (context instanceof ReferenceCountedOpenSslContext openSsl) {
            openSsl.sessionContext().setSessionCacheEnabled(false);
        }
        return context;
    }
}
