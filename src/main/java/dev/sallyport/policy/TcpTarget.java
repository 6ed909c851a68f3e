package dev.sallyport.policy;

/// Where a plain tunnel leads: one port of one host, written `host:port`.
public record TcpTarget(HostName host, int port) {
    private static final int PORT_MAX = 65_535;

    public static TcpTarget parse(String text) throws MalformedNameException {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new MalformedNameException("the port is missing");
        }
        return new TcpTarget(
                HostName.parse(text.substring(0, colon)), port(text.substring(colon + 1)));
    }

    /// Also what stands behind the colon elsewhere: one spelling for each number.
    public static int port(String text) throws MalformedNameException {
        if (!text.matches("[1-9][0-9]{0,4}") || Integer.parseInt(text) > PORT_MAX) {
            throw new MalformedNameException("a port is a number from 1 to 65535");
        }
        return Integer.parseInt(text);
    }
}
