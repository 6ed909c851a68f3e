package dev.sallyport.upstream;

import dev.sallyport.config.SecureResolver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.dns.DefaultDnsQuery;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsOpCode;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.handler.codec.dns.TcpDnsQueryEncoder;
import io.netty.handler.codec.dns.TcpDnsResponseDecoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Asks a resolver over TLS (RFC 7858) instead of the system's, when a person configured one: what
/// a sandbox talks to is then known to that resolver alone. The resolver is verified by name, and
/// no proxy of the environment stands before it (I8).
///
/// Each lookup has a connection of its own; the threads that wait here are few.
final class DotLookup implements Resolver.Lookup {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final InetSocketAddress resolver;
    private final String name;
    private final SSLSocketFactory tls;

    /// @param name that the resolver's certificate must be for
    DotLookup(InetSocketAddress resolver, String name, SSLSocketFactory tls) {
        this.resolver = resolver;
        this.name = name;
        this.tls = tls;
    }

    static DotLookup of(SecureResolver chosen) {
        return new DotLookup(
                InetLiteral.socketAddress(chosen.dial()),
                chosen.name().value(),
                Trust.jdk(chosen.caPem()).getSocketFactory());
    }

    @Override
    public InetAddress[] all(String host) throws UnknownHostException {
        try (Socket plain = new Socket(Proxy.NO_PROXY)) {
            plain.connect(resolver, TIMEOUT_MILLIS);
            plain.setSoTimeout(TIMEOUT_MILLIS);
            try (SSLSocket socket =
                    (SSLSocket) tls.createSocket(plain, name, resolver.getPort(), false)) {
                verifyName(socket);
                List<InetAddress> found = new ArrayList<>();
                found.addAll(ask(socket, host, DnsRecordType.A));
                found.addAll(ask(socket, host, DnsRecordType.AAAA));
                return found.toArray(InetAddress[]::new);
            }
        } catch (IOException e) {
            UnknownHostException unknown = new UnknownHostException(host);
            unknown.initCause(e);
            throw unknown;
        }
    }

    private static void verifyName(SSLSocket socket) throws IOException {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
    }

    private static List<InetAddress> ask(SSLSocket socket, String host, DnsRecordType type)
            throws IOException {
        int id = RANDOM.nextInt(1 << 16);
        socket.getOutputStream().write(query(id, host, type));
        socket.getOutputStream().flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] message = new byte[in.readUnsignedShort()];
        in.readFully(message);
        return addresses(message, id, host, type);
    }

    private static byte[] query(int id, String host, DnsRecordType type) {
        EmbeddedChannel encoder = new EmbeddedChannel(new TcpDnsQueryEncoder());
        try {
            encoder.writeOutbound(
                    new DefaultDnsQuery(id, DnsOpCode.QUERY)
                            .setRecursionDesired(true)
                            .addRecord(
                                    DnsSection.QUESTION, new DefaultDnsQuestion(host + ".", type)));
            ByteBuf encoded = encoder.readOutbound();
            try {
                return ByteBufUtil.getBytes(encoded);
            } finally {
                encoded.release();
            }
        } finally {
            encoder.finishAndReleaseAll();
        }
    }

    /// Records are taken by their type wherever in the answer they stand: the resolver has followed
    /// aliases, and every address is classified afterwards.
    private static List<InetAddress> addresses(
            byte[] message, int id, String host, DnsRecordType type) throws IOException {
        EmbeddedChannel decoder = new EmbeddedChannel(new TcpDnsResponseDecoder());
        try {
            ByteBuf framed = Unpooled.buffer(message.length + 2);
            decoder.writeInbound(framed.writeShort(message.length).writeBytes(message));
            DnsResponse answer = decoder.readInbound();
            if (answer == null || answer.id() != id) {
                throw new IOException("the resolver answered something else");
            }
            try {
                requireAnswer(answer, host);
                return addresses(answer, type);
            } finally {
                answer.release();
            }
        } catch (RuntimeException e) {
            throw new IOException("the resolver's answer cannot be read", e);
        } finally {
            decoder.finishAndReleaseAll();
        }
    }

    private static void requireAnswer(DnsResponse answer, String host) throws IOException {
        if (!answer.code().equals(DnsResponseCode.NOERROR)) {
            throw new UnknownHostException(host + ": " + answer.code());
        }
        DnsRecord question = answer.recordAt(DnsSection.QUESTION);
        if (question == null || !question.name().equalsIgnoreCase(host + ".")) {
            throw new IOException("the resolver answered another question");
        }
    }

    private static List<InetAddress> addresses(DnsResponse answer, DnsRecordType type)
            throws UnknownHostException {
        int length = type.equals(DnsRecordType.A) ? 4 : 16;
        List<InetAddress> found = new ArrayList<>();
        for (int i = 0; i < answer.count(DnsSection.ANSWER); i++) {
            DnsRecord record = answer.recordAt(DnsSection.ANSWER, i);
            if (record instanceof DnsRawRecord raw
                    && record.type().equals(type)
                    && raw.content().readableBytes() == length) {
                found.add(InetAddress.getByAddress(ByteBufUtil.getBytes(raw.content())));
            }
        }
        return found;
    }
}
