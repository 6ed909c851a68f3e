package dev.sallyport.warden;

import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.TokenForm;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Word;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// The secrets' part of the control API. A changed secret reaches running sessions at once: what
/// was sent already was sent with the old value, and the next request has the new one.
record Secrets(
        SecretFiles files,
        AppTokens apps,
        Authorities authorities,
        Ledger ledger,
        GatewayLink link,
        Sandboxes sandboxes,
        OtherMachines others) {
    private static final System.Logger LOG = System.getLogger(Secrets.class.getName());

    SecretsApi.SecretList list() throws OperationException {
        List<SecretsApi.SecretView> views = new ArrayList<>();
        for (SecretFiles.Entry entry : entries()) {
            views.add(view(entry));
        }
        return new SecretsApi.SecretList(views);
    }

    SecretsApi.SecretView put(String name, SecretsApi.PutSecret request) throws OperationException {
        try {
            HostName host = host(request.host());
            requireKind(request);
            record("secret.set", name, host, Map.of());
            if (request.login().isPresent()) {
                files.setLogin(name, host, request.value(), request.login().get());
            } else if (request.app().isPresent()) {
                files.setApp(name, host, request.app().get(), request.value());
            } else {
                files.set(name, host, request.user(), request.value());
            }
        } catch (IOException e) {
            throw OperationException.refused(e);
        } finally {
            request.wipe();
        }
        // All of them: by its name it may have belonged to another host until now.
        refresh(_ -> true);
        return view(entry(name));
    }

    private static void requireKind(SecretsApi.PutSecret request) throws OperationException {
        boolean aws = AwsKey.isOne(request.value());
        boolean plain = request.login().isEmpty() && request.app().isEmpty() && !aws;
        if (request.kind().isEmpty() && plain) {
            return;
        }
        SecretKind kind =
                request.kind()
                        .flatMap(word -> Word.of(SecretKind.class, word))
                        .orElseThrow(
                                () ->
                                        OperationException.invalid(
                                                "Unknown kind of secret.",
                                                "Use one of " + SecretKind.all() + "."));
        if (!kind.fits(request.user())) {
            throw OperationException.invalid(
                    "Only a secret of kind basic has a user, and it needs one.",
                    "Use --kind basic --user USER, or leave the user out.");
        }
        if ((kind == SecretKind.OAUTH) != request.login().isPresent()) {
            throw OperationException.invalid(
                    "A secret of kind oauth is a login, and no other secret is.",
                    "Use --kind oauth and give the document of a login.");
        }
        if ((kind == SecretKind.AWS) != aws) {
            throw OperationException.invalid(
                    "A secret of kind aws is an access key of AWS, and no other secret is.",
                    "Use --kind aws --file ~/.aws/credentials");
        }
        if ((kind == SecretKind.GITHUB_APP) != request.app().isPresent()) {
            throw OperationException.invalid(
                    "A secret of kind github-app has the id of an App, and no other secret has.",
                    "Use --kind github-app --app ID < key.pem");
        }
    }

    /// Replaces the value of a secret that is there. Sessions that may use it have the new one from
    /// their next request on, or are ended for good when that is asked for.
    SecretsApi.SecretRotated rotate(String name, SecretsApi.RotateSecret request)
            throws OperationException {
        SecretFiles.Entry entry;
        try {
            entry = entry(name);
            String ends = Boolean.toString(request.endSessions());
            record("secret.rotate", name, entry.host(), Map.of("end-sessions", ends));
            rotateFile(name, request);
        } catch (IOException e) {
            throw OperationException.refused(e);
        } finally {
            request.wipe();
        }
        try {
            List<String> ended = request.endSessions() ? endThoseWith(entry) : List.of();
            return new SecretsApi.SecretRotated(view(entry(name)), ended);
        } finally {
            refresh(entry);
        }
    }

    private void rotateFile(String name, SecretsApi.RotateSecret request) throws IOException {
        if (request.login().isEmpty()) {
            files.rotate(name, request.value());
            return;
        }
        SecretsApi.NewLogin login = request.login().get();
        files.rotateLogin(
                name,
                new StoredSecret.Tokens(
                        request.value(), Optional.of(login.refresh()), login.expires()));
    }

    /// One that cannot be ended does not keep the others from it.
    private List<String> endThoseWith(SecretFiles.Entry entry) throws OperationException {
        List<String> ended = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (Session session : holders(entry)) {
            if (session.state() == Session.State.ENDED) {
                continue;
            }
            try {
                sandboxes.revoke(session.id());
                ended.add(session.name());
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.ERROR, "not ended: " + session.name(), e);
                left.add(session.name());
            }
        }
        if (!left.isEmpty()) {
            throw new OperationException(
                    OperationException.Fault.FAILED,
                    "The secret was rotated, but these sandboxes could not be ended: "
                            + String.join(", ", left)
                            + ".",
                    "End them: sallyport end NAME");
        }
        return ended;
    }

    void remove(String name) throws OperationException {
        SecretFiles.Entry entry = entry(name);
        record("secret.remove", name, entry.host(), Map.of());
        try {
            files.remove(name);
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
        refresh(entry);
    }

    /// Encrypts what lies plain: the secrets, and the keys of sandboxes' authorities.
    SecretsApi.Encrypted encrypt() throws OperationException {
        if (!authorities.isSealed()) {
            throw OperationException.invalid(
                    "policy.yaml sets no key for secrets.",
                    "Create one with age-keygen -o FILE, add secrets: {key-file: FILE} there, and"
                            + " restart the daemon: sallyport down, sallyport up");
        }
        ledger.record("secret.encrypt", Map.of());
        try {
            others.seal();
            int count = files.seal();
            authorities.seal();
            return new SecretsApi.Encrypted(count);
        } catch (IOException e) {
            throw OperationException.refused(e);
        } finally {
            refresh(_ -> true);
        }
    }

    private void refresh(SecretFiles.Entry entry) {
        refresh(
                session ->
                        session.policy().hosts().contains(entry.host())
                                || AttachMessages.mayUse(session, entry));
    }

    /// A secret that can be read again may be what a sandbox without doors waits for.
    private void refresh(Predicate<Session> changed) {
        link.refresh(changed);
        sandboxes.openMissing();
    }

    /// Whether one of them has ever used it is not asked: what may have had the old value is not
    /// trusted with the new one.
    private List<Session> holders(SecretFiles.Entry entry) throws OperationException {
        return sandboxes.list().stream()
                .filter(session -> AttachMessages.mayUse(session, entry))
                .toList();
    }

    private static HostName host(String text) throws OperationException {
        try {
            return HostName.parse(text);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "Not a host: " + e.getMessage() + ".", "For example: github.com");
        }
    }

    private void record(String kind, String name, HostName host, Map<String, String> detail)
            throws OperationException {
        Map<String, String> all = new HashMap<>(detail);
        all.putAll(Map.of("name", name, "host", host.value()));
        ledger.record(kind, all);
    }

    private SecretFiles.Entry entry(String name) throws OperationException {
        return entries().stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                OperationException.notFound(
                                        "There is no secret " + name + ".",
                                        "List them with: sallyport secret list"));
    }

    private List<SecretFiles.Entry> entries() throws OperationException {
        try {
            return files.list();
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    private SecretsApi.SecretView view(SecretFiles.Entry entry) throws OperationException {
        return new SecretsApi.SecretView(
                entry.name(),
                entry.host().value(),
                entry.user(),
                entry.updated().toString(),
                entry.kind().label(),
                entry.rotated().map(Instant::toString),
                holders(entry).stream()
                        .filter(session -> !session.isAtRest())
                        .map(Session::name)
                        .toList(),
                entry.login()
                        .map(
                                login ->
                                        new SecretsApi.LoginView(
                                                login.endpoint(),
                                                login.since().toString(),
                                                login.expires(),
                                                login.account())),
                entry.app(),
                entry.form().map(TokenForm::reach));
    }
}
