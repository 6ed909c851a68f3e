package dev.sallyport.pod;

import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.PinnedAuthorities;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.SignedAddresses;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.host.GatewayException;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The gateway of this pod, and what it is asked for. The key that requests are signed with is in
/// the memory of this process and nowhere else. Every method blocks.
final class PodGateway {
    private final PodSettings settings;
    private final GatewayClient client;
    private HostKey key = HostKey.inMemory();
    private List<String> authorities;

    /// Those that share a store, and the one that has the session first.
    private List<String> gateways = List.of();

    PodGateway(PodSettings settings, GatewayClient client) {
        this.settings = settings;
        this.client = client;
        this.authorities = settings.authorities();
    }

    private synchronized GatewayClient.Place place() {
        Set<String> all = new LinkedHashSet<>(gateways);
        all.add(settings.gateway());
        return new GatewayClient.Place(List.copyOf(all), authorities);
    }

    private synchronized HostKey key() {
        return key;
    }

    /// @param answered who has the session
    /// @param others where it says that gateways are; what its warden has not signed, just now,
    ///   changes nothing
    private synchronized List<String> learn(
            List<HostApi.Authority> told, String answered, String others) {
        authorities = GatewayClient.learned(authorities, told);
        List<String> known =
                SignedAddresses.read(
                                SignedAddresses.Use.GATEWAYS, others, authorities, Instant.now())
                        .orElse(gateways);
        gateways = Stream.concat(Stream.of(answered), known.stream()).distinct().toList();
        return authorities;
    }

    /// Whether another gateway may serve the session when one does not.
    boolean hasSeveral() {
        return place().addresses().size() > 1;
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
        GatewayClient.Answered<HostApi.Opened> opened =
                client.ask(place(), key(), "open", settings.request(), HostApi.Opened.class);
        HostApi.Opened value = opened.value();
        var _ = learn(value.authorities(), opened.address(), value.gateways());
        return value;
    }

    /// A certificate for a key of the sidecar.
    ///
    /// @param proof by the key before; empty for the first
    Message.Certified certify(String session, String publicKey, String proof)
            throws GatewayException {
        GatewayClient.Answered<HostApi.Certificate> made =
                client.ask(
                        place(),
                        key(),
                        proof.isEmpty() ? "certify" : "renew",
                        new HostApi.Certify(session, publicKey, proof),
                        HostApi.Certificate.class);
        HostApi.Certificate value = made.value();
        return new Message.Certified(
                session,
                publicKey,
                value.certificatePem(),
                made.address(),
                learn(value.authorities(), made.address(), value.gateways()));
    }

    /// A connection to the gateway that has the session, on which nothing was said.
    FileDescriptor connect() throws IOException {
        return client.connect(place().addresses().getFirst());
    }

    /// The session is over.
    void end(String session) throws GatewayException {
        var _ = client.ask(place(), key(), "end", new HostApi.OfSession(session), Api.Done.class);
    }
}
