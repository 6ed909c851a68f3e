package dev.sallyport.warden;

import dev.sallyport.control.FleetApi;
import dev.sallyport.credential.CertifiedKey;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// The authority that other machines trust, as a person sees it.
final class AuthorityView {
    private AuthorityView() {}

    /// Empty when there is none yet; looking makes none.
    static Optional<FleetApi.AuthorityState> of(FleetFiles.Source files) throws IOException {
        if (!files.exists()) {
            return Optional.empty();
        }
        List<String> all = files.get().authority().authorityPems();
        try {
            X509Certificate newest = CertifiedKey.parse(all.getLast());
            return Optional.of(
                    new FleetApi.AuthorityState(
                            newest.getNotBefore().toInstant().toString(),
                            newest.getNotAfter().toInstant().toString(),
                            all.size() > 1));
        } catch (CertificateException e) {
            throw new IOException("the certificate of the authority is damaged", e);
        }
    }
}
