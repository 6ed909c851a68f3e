package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The secrets' part of the control API. A changed secret reaches running sessions at once.
record Secrets(SecretFiles files, Ledger ledger, GatewayLink link) {

    Api.SecretList list() throws OperationException {
        return new Api.SecretList(entries().stream().map(Secrets::view).toList());
    }

    Api.SecretView put(String name, Api.PutSecret request) throws OperationException {
        HostName host = host(request.host());
        record("secret.set", name, host);
        try {
            files.set(name, host, request.user(), request.value());
        } catch (IOException e) {
            throw refused(e);
        } finally {
            request.value().wipe();
        }
        refresh(host);
        return view(entry(name).orElseThrow());
    }

    void remove(String name) throws OperationException {
        SecretFiles.Entry entry =
                entry(name)
                        .orElseThrow(
                                () ->
                                        new OperationException(
                                                OperationException.Fault.NOT_FOUND,
                                                "There is no secret of this name.",
                                                "See which there are: sallyport secret list"));
        record("secret.remove", name, entry.host());
        try {
            files.remove(name);
        } catch (IOException e) {
            throw refused(e);
        }
        refresh(entry.host());
    }

    private void refresh(HostName host) {
        link.refresh(session -> session.policy().hosts().contains(host));
    }

    private static HostName host(String text) throws OperationException {
        try {
            return HostName.parse(text);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "This is not a host: " + e.getMessage() + ".", "Write it as in github.com.");
        }
    }

    private void record(String kind, String name, HostName host) throws OperationException {
        ledger.record(new AuditEvent(kind, "", "", Map.of("name", name, "host", host.value())));
    }

    private Optional<SecretFiles.Entry> entry(String name) throws OperationException {
        return entries().stream().filter(entry -> entry.name().equals(name)).findFirst();
    }

    private List<SecretFiles.Entry> entries() throws OperationException {
        try {
            return files.list();
        } catch (IOException e) {
            throw refused(e);
        }
    }

    private static OperationException refused(IOException e) {
        return e instanceof ConfigException config
                ? OperationException.invalid(config.problem(), config.remedy())
                : OperationException.failed(e);
    }

    private static Api.SecretView view(SecretFiles.Entry entry) {
        return new Api.SecretView(
                entry.name(), entry.host().value(), entry.user(), entry.updated().toString());
    }
}
