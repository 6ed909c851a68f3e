package dev.sallyport.pod;

import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.PinnedAuthorities;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.host.GatewayException;
import java.io.IOException;
import java.util.List;

/// The gateway of this pod, and what it is asked for. The key that requests are signed with is in
/// the memory of this process and nowhere else. Every method blocks.
final class PodGateway {
    private final PodSettings settings;
    private final GatewayClient client;
    private HostKey key = HostKey.inMemory();
    private List<String> authorities;

    PodGateway(PodSettings settings, GatewayClient client) {
        this.settings = settings;
        this.client = client;
        this.authorities = settings.authorities();
    }

    private synchronized GatewayClient.Place place() {
        return new GatewayClient.Place(settings.gateway(), authorities);
    }

    private synchronized HostKey key() {
        return key;
    }

    private synchronized List<String> learn(List<HostApi.Authority> told) {
        authorities = GatewayClient.learned(authorities, told);
        return authorities;
    }

    /// Makes this pod known there, with its token as it is now, and a new key.
    String enrol() throws GatewayException, IOException {
        HostKey made = HostKey.inMemory();
        GatewayClient.Place gateway = place();
        String audience = PinnedAuthorities.audience(gateway.authorities().getFirst());
        String line = PodEnrolment.request(audience, made, settings.token());
        HostApi.Enrolled enrolled = client.enrol(gateway, line);
        synchronized (this) {
            key = made;
        }
        return enrolled.name();
    }

    HostApi.Opened open() throws GatewayException {
        HostApi.Opened opened =
                client.ask(place(), key(), "open", settings.request(), HostApi.Opened.class);
        learn(opened.authorities());
        return opened;
    }

    /// A certificate for a key of the sidecar.
    ///
    /// @param proof by the key before; empty for the first
    Message.Certified certify(String session, String publicKey, String proof)
            throws GatewayException {
        HostApi.Certificate made =
                client.ask(
                        place(),
                        key(),
                        proof.isEmpty() ? "certify" : "renew",
                        new HostApi.Certify(session, publicKey, proof),
                        HostApi.Certificate.class);
        return new Message.Certified(
                session, publicKey, made.certificatePem(), learn(made.authorities()));
    }

    /// Where the sidecar carries connections to.
    Message.Carry carry(String session) {
        GatewayClient.Place gateway = place();
        return new Message.Carry(session, gateway.address(), gateway.authorities());
    }

    /// The session is over.
    void end(String session) throws GatewayException {
        client.ask(place(), key(), "end", new HostApi.OfSession(session), Api.Done.class);
    }
}
