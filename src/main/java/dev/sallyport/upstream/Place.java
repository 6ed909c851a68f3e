package dev.sallyport.upstream;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;

/// Where a connection goes, and by what it is known there.
///
/// @param host the name in SNI, in the certificate and in Host, whatever address is dialled
/// @param reach by which addresses, and which certificates prove the name
record Place(HostName host, int port, boolean tls, Reach reach) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /// A git host is asked by HTTPS and nothing else.
    static Place git(HostName host, Reach reach) {
        return new Place(host, HTTPS_PORT, true, reach);
    }

    /// The value of Host (RFC 9110, section 7.2).
    String authority() {
        boolean usual = port == (tls ? HTTPS_PORT : HTTP_PORT);
        return usual ? host.value() : host + ":" + port;
    }
}
