package dev.sallyport.egress;

import dev.sallyport.credential.Authority;
import dev.sallyport.credential.HostCertificates;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// The server's side of TLS for each inspected host of one sandbox, kept for the hosts that were
/// used last.
final class ServerContexts {
    private static final int KEPT_MAX = 256;

    /// Half of their certificate's time, so that none ends in the middle of a connection's day.
    private static final Duration KEPT_FOR = HostCertificates.VALIDITY.dividedBy(2);

    private static final ApplicationProtocolConfig PROTOCOLS =
            new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1);

    private final HostCertificates certificates;
    private final Map<HostName, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    private record Kept(SslContext context, Instant until) {}

    ServerContexts(Authority authority) {
        this.certificates = new HostCertificates(authority);
    }

    /// @throws IllegalStateException when there is none to be had
    synchronized SslContext of(EgressPermit permit) {
        Instant now = Instant.now();
        Kept known = kept.get(permit.host());
        if (known != null && now.isBefore(known.until())) {
            return known.context();
        }
        SslContext made = make(permit);
        kept.put(permit.host(), new Kept(made, now.plus(KEPT_FOR)));
        if (kept.size() > KEPT_MAX) {
            kept.remove(kept.keySet().iterator().next());
        }
        return made;
    }

    private SslContext make(EgressPermit permit) {
        try {
            SslContextBuilder builder =
                    certificates
                            .server(permit)
                            .sslProvider(
                                    OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                            .applicationProtocolConfig(PROTOCOLS);
            return withoutResumption(builder.build());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no certificate for an inspected host", e);
        }
    }

    /// A resumed session would skip the look at the hello's name (E17). Tickets are off by a
    /// property of the process, see `warden.GatewayCommand`; there is no other switch.
    private static SslContext withoutResumption(SslContext context) {
        if (context instanceof OpenSslContext openSsl) {
            openSsl.sessionContext().setSessionCacheEnabled(false);
        }
        return context;
    }
}
