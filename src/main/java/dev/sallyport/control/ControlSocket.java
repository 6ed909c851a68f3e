package dev.sallyport.control;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/// The control socket's file, checked before anything is sent through it or put in its place. The
/// directories around it are checked by [Home]; since only we can write to them, nobody can swap
/// the socket between this check and its use.
public final class ControlSocket {
    private static final int PERMISSIONS = 07777;
    private static final int OWNER_READ_WRITE = 0600;

    private ControlSocket() {}

    /// Verifies that the socket is ours, private and really a socket.
    public static void verify(Home home) throws IOException {
        home.verify();
        requirePrivateSocket(home);
    }

    /// That the directory is ours was verified just before, so the socket's owner must be its.
    private static void requirePrivateSocket(Home home) throws IOException {
        Path path = home.controlSocket();
        Map<String, Object> found =
                Files.readAttributes(
                        path, "unix:uid,mode,isOther,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        if (!Boolean.TRUE.equals(found.get("isOther"))) {
            boolean symlink = Boolean.TRUE.equals(found.get("isSymbolicLink"));
            throw new ConfigException(
                    path + " is not a socket" + (symlink ? " but a symlink." : "."),
                    "Remove it and restart the daemon: sallyport up");
        }
        int uid = number(found, "uid");
        if (home.lodging().isEmpty() && !Files.getAttribute(home.run(), "unix:uid").equals(uid)) {
            throw new ConfigException(
                    path + " belongs to user " + uid + ", not to you.",
                    "Find out who put it there, remove it, and run: sallyport up");
        }
        int mode = number(found, "mode") & PERMISSIONS;
        if ((mode & ~OWNER_READ_WRITE) != 0) {
            throw new ConfigException(
                    path + " is open to others (mode " + String.format("%04o", mode) + ").",
                    "Run: chmod 600 " + path);
        }
    }

    private static int number(Map<String, Object> attributes, String key) {
        return attributes.get(key) instanceof Integer value ? value : -1;
    }

    /// Makes way for a new socket: a stale one is removed, a live one or a file that is not ours is
    /// an error. The caller holds the warden's lock.
    public static void clear(Home home) throws IOException {
        home.verify();
        Path path = home.controlSocket();
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        requirePrivateSocket(home);
        if (answers(path)) {
            throw new ConfigException(
                    "Another daemon answers on " + path + ".",
                    "Use it, or stop it first: sallyport down");
        }
        Files.delete(path);
    }

    private static boolean answers(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }
}
