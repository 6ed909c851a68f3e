package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.util.List;

/// What a gateway, or a sidecar, is told about sessions.
interface LinkMessages {
    /// First of all.
    Message.Configure configure();

    /// The present git hosts.
    Message.Hosts hosts();

    /// A session with everything that it takes to serve it.
    Message.Attach attach(Session session, List<ListenerKind> listeners) throws IOException;

    /// For when the secrets cannot be read.
    Message.Attach attachWithoutSecrets(Session session, List<ListenerKind> listeners);

    /// What is said of a session after it was attached, or attached again.
    List<Message> after(Session session);

    /// The session has no doors, or none any more.
    void ended(SessionId id);
}
