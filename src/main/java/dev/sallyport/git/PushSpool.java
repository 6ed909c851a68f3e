package dev.sallyport.git;

import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolRoom;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/// The pack of one push on disk, and beside it the quarantine in which it is judged. Both exist as
/// long as the push does.
///
/// @param directory of this push alone
/// @param body the pack
record PushSpool(Path directory, Spool body) {
    private static final System.Logger LOG = System.getLogger(PushSpool.class.getName());

    static PushSpool in(
            Path directory,
            SpoolRoom room,
            SessionId session,
            EventLoop loop,
            Spool.Events events) {
        return new PushSpool(directory, new Spool(directory, room, session, loop, events));
    }

    /// Makes the quarantine, without whatever an earlier attempt left in it. Not on the event loop.
    void emptyQuarantine() throws IOException {
        Spool.removeTree(quarantine());
        Files.createDirectories(quarantine());
    }

    Path pack() {
        return body.file();
    }

    Path quarantine() {
        return directory.resolve("quarantine");
    }

    /// What upstream has taken joins the copy, so that the next push need not fetch it. Not on the
    /// event loop.
    void join(Mirror copy) {
        Optional<Path> pack = indexedPack();
        if (pack.isPresent()) {
            String name = pack.get().toString();
            Path index = Path.of(name.substring(0, name.lastIndexOf('.')) + ".idx");
            copy.adopt(pack.get(), index);
        }
    }

    /// The pack that the judge indexed; beside it lies its index.
    private Optional<Path> indexedPack() {
        try (Stream<Path> files = Files.list(quarantine().resolve("objects/pack"))) {
            return files.filter(file -> file.toString().endsWith(".pack")).findFirst();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "nothing was indexed", e);
            return Optional.empty();
        }
    }
}
