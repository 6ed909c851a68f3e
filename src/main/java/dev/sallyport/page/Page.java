package dev.sallyport.page;

import dev.sallyport.audit.AuditMarks;
import dev.sallyport.session.PublishedPort;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// The page's server. It is there from the moment a person asks for a link until it is closed.
public final class Page implements AutoCloseable {
    public static final String ADDRESS = PublishedPort.NEVER;
    private static final int BACKLOG_CONNECTIONS = 64;

    private final Channel listener;
    private final ChannelGroup connections;
    private final PageSessions sessions;
    private final LiveFeed feed;

    private Page(Channel listener, ChannelGroup connections, PageSessions sessions, LiveFeed feed) {
        this.listener = listener;
        this.connections = connections;
        this.sessions = sessions;
        this.feed = feed;
    }

    /// The record that the page shows.
    public record Source(Path log, AuditMarks marks) {}

    /// Listens from now on.
    ///
    /// @param port 0 for one that is free
    public static Page open(EventLoop loop, int port, Source source, Desk desk) throws IOException {
        ChannelGroup connections = new DefaultChannelGroup(loop);
        CompletableFuture<PageDoor> door = new CompletableFuture<>();
        Channel listener = bind(loop, port, new PagePipeline(door, desk, connections));
        PageSessions sessions = new PageSessions(System::nanoTime);
        LiveFeed feed = new LiveFeed(source.log());
        Page page = new Page(listener, connections, sessions, feed);
        AuditProof proof = new AuditProof(source.log(), source.marks());
        door.complete(new PageDoor(page.port(), sessions, feed, proof, desk));
        return page;
    }

    /// Nothing is read before it is known whose a connection is.
    private static Channel bind(EventLoop loop, int port, PagePipeline pipeline)
            throws IOException {
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG_CONNECTIONS)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(pipeline)
                        .bind(new InetSocketAddress(InetAddress.ofLiteral(ADDRESS), port))
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(String.valueOf(bound.cause().getMessage()), bound.cause());
        }
        return bound.channel();
    }

    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /// A link that this account can use once, within [#linkLife()]. Its secret is in the part that
    /// browsers do not send, so that it gets into no log and nothing but the page's own script uses
    /// it up.
    public String link(int uid) {
        return url(sessions.link(uid));
    }

    /// As [#link(int)], for somebody who is told of a question: good while it is open, and leads to
    /// it. It logs in and answers nothing.
    ///
    /// @param life how long it is open at most
    public String link(int uid, String question, Duration life) {
        return url(sessions.link(uid, question, life));
    }

    private String url(String secret) {
        return "http://" + ADDRESS + ":" + port() + "/#login=" + secret;
    }

    public static Duration linkLife() {
        return PageSessions.LINK_LIFE;
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        feed.close();
        connections.close().awaitUninterruptibly(1_000);
    }
}
