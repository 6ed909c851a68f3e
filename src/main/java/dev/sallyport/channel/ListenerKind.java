package dev.sallyport.channel;

/// The sockets that every sandbox gets, in the order in which their descriptors travel.
public enum ListenerKind {
    /// On all addresses of the namespace: 127.0.0.1 is the front door, every other address stands
    /// for the name that resolved to it.
    HTTP(Transport.TCP, "0.0.0.0", 80),
    /// On all addresses, which stand for names.
    HTTPS(Transport.TCP, "0.0.0.0", 443),
    /// For programs that are told to use a proxy.
    PROXY(Transport.TCP, "127.0.0.1", 3128),
    DNS_UDP(Transport.UDP, "127.0.0.1", 53),
    DNS_TCP(Transport.TCP, "127.0.0.1", 53);

    public enum Transport {
        TCP,
        UDP
    }

    private final Transport transport;
    private final String address;
    private final int port;

    ListenerKind(Transport transport, String address, int port) {
        this.transport = transport;
        this.address = address;
        this.port = port;
    }

    public Transport transport() {
        return transport;
    }

    public String address() {
        return address;
    }

    public int port() {
        return port;
    }
}
