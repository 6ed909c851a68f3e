package dev.sallyport.upstream;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/// Addresses written as literals. Nothing here ever asks a resolver.
final class InetLiteral {
    private InetLiteral() {}

    static byte[] bytes(String literal) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(literal);
        if (bytes == null || literal.indexOf('%') >= 0) {
            throw new IllegalArgumentException("not an IP address; write it in numbers");
        }
        return bytes;
    }

    /// Parses `127.0.0.1:8443` or `[::1]:8443`.
    static InetSocketAddress socketAddress(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("dial is written address:port");
        }
        String address = text.substring(0, colon);
        boolean bracketed = address.startsWith("[") && address.endsWith("]");
        if (address.indexOf(':') >= 0 && !bracketed) {
            throw new IllegalArgumentException("an IPv6 address in dial stands in brackets");
        }
        byte[] bytes = bytes(bracketed ? address.substring(1, address.length() - 1) : address);
        return new InetSocketAddress(ofBytes(bytes), port(text.substring(colon + 1)));
    }

    private static int port(String text) {
        if (!text.matches("[1-9][0-9]{0,4}") || Integer.parseInt(text) > 65_535) {
            throw new IllegalArgumentException("the port of dial is a number from 1 to 65535");
        }
        return Integer.parseInt(text);
    }

    private static InetAddress ofBytes(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an IP address has 4 or 16 bytes", e);
        }
    }
}
