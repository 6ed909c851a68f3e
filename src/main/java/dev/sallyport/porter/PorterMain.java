package dev.sallyport.porter;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// The porter process: started inside the sandbox's user and network namespaces by `nsenter`, it
/// opens the sockets, sends their descriptors to the warden and ends. It still sees the host's
/// files, and runs nothing of the sandbox's.
///
/// Arguments: path of the warden's socket, inode of the namespace it must be in, sockets.
public final class PorterMain {
    private PorterMain() {}

    public static void main(String[] args) throws IOException {
        Sockets.prepare();
        NetNamespace.requireInode(Path.of("/proc/self/ns/net"), Long.parseLong(args[1]));
        List<Opening> openings = Arrays.stream(args).skip(2).map(Opening::parse).toList();
        send(args[0], Sockets.openAll(openings));
    }

    private static void send(String path, List<Listener> listeners) throws IOException {
        LinuxSocket warden = LinuxSocket.newSocketDomain();
        if (!warden.connect(new DomainSocketAddress(path))) {
            throw new IOException("the warden does not answer on " + path);
        }
        for (Listener listener : listeners) {
            // One descriptor per message; the socket's buffer holds many more than are asked for.
            if (warden.sendFd(listener.descriptor().intValue()) < 0) {
                throw new IOException("the warden does not take the descriptors");
            }
        }
        warden.close();
    }
}
