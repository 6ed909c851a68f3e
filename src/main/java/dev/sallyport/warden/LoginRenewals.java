package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// Stores the tokens that the endpoint of a login gave to the gateway. The gateway may be
/// compromised: it can replace the tokens of a login that it holds, and nothing else; neither the
/// host they are for nor where they are renewed.
record LoginRenewals(SecretFiles files, Ledger ledger, GatewayLink link) {
    private static final System.Logger LOG = System.getLogger(LoginRenewals.class.getName());

    /// On disk before anybody has them to use: after a crash there are the tokens before or these,
    /// and no access token is in use whose refresh token is lost.
    ///
    /// @return whether there is nothing left to do; if not, they may be sent again
    boolean take(Message.LoginRenewed renewed) {
        try {
            Optional<SecretFiles.Entry> login = login(renewed);
            if (login.isPresent()) {
                store(login.get(), renewed);
            }
            return true;
        } catch (IOException | OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "a login that was renewed cannot be stored", e);
            return false;
        } finally {
            renewed.wipe();
        }
    }

    /// The one that is meant, if the session holds it.
    private Optional<SecretFiles.Entry> login(Message.LoginRenewed renewed) throws IOException {
        Optional<SecretFiles.Entry> found =
                files.list().stream()
                        .filter(entry -> entry.name().equals(renewed.secret()))
                        .filter(entry -> entry.kind() == SecretKind.OAUTH)
                        .filter(
                                entry ->
                                        link.holders(renewed.session()).stream()
                                                .anyMatch(s -> AttachMessages.mayUse(s, entry)))
                        .findFirst();
        if (found.isEmpty() || !isTime(renewed.expires())) {
            LOG.log(System.Logger.Level.ERROR, "the gateway may not renew what it does not hold");
            return Optional.empty();
        }
        return found;
    }

    private static boolean isTime(Optional<String> text) {
        try {
            text.ifPresent(Instant::parse);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private void store(SecretFiles.Entry login, Message.LoginRenewed renewed)
            throws IOException, OperationException {
        if (isPresent(login, renewed.version())) {
            ledger.record(
                    new AuditEvent(
                            "secret.renew",
                            renewed.session(),
                            "",
                            Map.of("name", login.name(), "host", login.host().value())));
            boolean stored =
                    files.renew(
                            login.name(),
                            renewed.version(),
                            new StoredSecret.Tokens(
                                    renewed.access(), renewed.refresh(), renewed.expires()));
            if (!stored) {
                LOG.log(System.Logger.Level.INFO, "a login was changed while it was renewed");
            }
        }
        link.refresh(session -> AttachMessages.mayUse(session, login));
    }

    private boolean isPresent(SecretFiles.Entry login, String version) throws IOException {
        Optional<StoredSecret> stored = files.find(login.name(), login.host());
        stored.ifPresent(StoredSecret::wipe);
        return stored.flatMap(StoredSecret::login)
                .filter(known -> known.version().equals(version))
                .isPresent();
    }
}
