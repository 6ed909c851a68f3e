package dev.sallyport.git;

import dev.sallyport.demo.CertificateAuthority;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

/// A certificate authority that lives as long as the test; when it fails, so does the test.
public final class TestPki {
    private final CertificateAuthority authority;

    public TestPki() {
        try {
            authority = CertificateAuthority.create();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public String caPem() {
        try {
            return authority.pem();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /// A server side whose certificate is for these hosts and nothing else.
    public SSLContext server(String... hosts) {
        try {
            return authority.serverContext(hosts);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
