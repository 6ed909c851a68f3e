package dev.sallyport.fleet;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.net.URI;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// What certificates between machines say, for those who make and those who read them.
public final class FleetNames {
    /// What the certificate of every gateway is for, whatever its address is.
    public static final HostName GATEWAY = new HostName("gateway.sallyport");

    private static final String SESSION = "sallyport:session:";

    /// How [X509Certificate#getSubjectAlternativeNames] marks a URI (RFC 5280, GeneralName).
    private static final Integer URI_KIND = 6;

    private FleetNames() {}

    /// How the certificate of a session names it.
    public static URI of(SessionId session) {
        return URI.create(SESSION + session.value());
    }

    /// The session that a certificate names; empty when it names anything else, or more. Whether
    /// the certificate is good is another question: see [SessionBadges#current].
    public static Optional<SessionId> session(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names == null || names.size() != 1) {
                return Optional.empty();
            }
            List<?> name = names.iterator().next();
            return URI_KIND.equals(name.get(0))
                    ? session(String.valueOf(name.get(1)))
                    : Optional.empty();
        } catch (CertificateParsingException _) {
            return Optional.empty();
        }
    }

    private static Optional<SessionId> session(String uri) {
        try {
            return uri.startsWith(SESSION)
                    ? Optional.of(new SessionId(uri.substring(SESSION.length())))
                    : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
