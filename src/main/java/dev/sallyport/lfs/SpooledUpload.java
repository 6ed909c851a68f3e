package dev.sallyport.lfs;

import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.push.SecretFinding;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolBody;
import dev.sallyport.relay.Stage;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An object that is on disk before any of it goes up. Its states follow each other: it arrives, a
/// worker hashes and scans it, it is sent.
final class SpooledUpload implements Stage, Spool.Events {
    private static final System.Logger LOG = System.getLogger(SpooledUpload.class.getName());
    private static final int BUFFER_BYTES = 64 << 10;

    /// What a worker says.
    private sealed interface Finding {
        record Fine(List<SecretFinding> secrets) implements Finding {}

        record Wrong(Refusal reason) implements Finding {}
    }

    private final LfsCase matter;
    private final Action action;
    private final Upload upload;
    private final Spool spool;
    private JudgeQueue.@Nullable Turn turn;
    private @Nullable Relay relay;
    private boolean over;

    SpooledUpload(LfsCase matter, Action action) {
        this.matter = matter;
        this.action = action;
        this.upload = new Upload(matter, action, () -> true);
        this.spool = matter.shared().spool(matter.permit().session(), matter.loop(), this);
    }

    @Override
    public void start() {
        matter.ask().responder().proceed();
        matter.ask().responder().resumeBody();
    }

    @Override
    public void unrecorded(Ask ask, Refusal reason) {
        fail(reason);
    }

    @Override
    public void body(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        if (piece.readableBytes() > action.object().size() - spool.bytes()) {
            piece.release();
            fail(Refusal.LFS_OBJECT_MISMATCH);
            return;
        }
        try {
            spool.append(piece);
        } catch (RefusedException e) {
            fail(e.refusal());
            return;
        }
        if (spool.isFull()) {
            matter.ask().responder().pauseBody();
        }
    }

    @Override
    public void end() {
        if (!over) {
            spool.finish();
        }
    }

    @Override
    public void drained() {
        if (!over) {
            matter.ask().responder().resumeBody();
        }
    }

    @Override
    public void spooled() {
        if (over) {
            return;
        }
        turn =
                matter.shared()
                        .workers()
                        .submit(
                                matter.permit().session(),
                                () -> {
                                    Finding finding = look();
                                    matter.loop().execute(() -> found(finding));
                                });
    }

    @Override
    public void failed(Refusal reason) {
        fail(reason);
    }

    /// On a worker's thread.
    private Finding look() {
        MessageDigest digest = Hashes.sha256();
        try (InputStream file = spool.bytes() == 0 ? InputStream.nullInputStream() : open();
                DigestInputStream content = new DigestInputStream(file, digest)) {
            boolean scanned = matter.permit().push().content().secrets() != SecretScan.OFF;
            List<SecretFinding> secrets =
                    scanned ? matter.shared().secrets().find(content) : List.of();
            content.transferTo(java.io.OutputStream.nullOutputStream());
            String hash = HexFormat.of().formatHex(digest.digest());
            boolean same =
                    spool.bytes() == action.object().size()
                            && hash.equals(action.object().oid().hex());
            return same
                    ? new Finding.Fine(secrets)
                    : new Finding.Wrong(Refusal.LFS_OBJECT_MISMATCH);
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.log(System.Logger.Level.ERROR, "an object could not be read", e);
            return new Finding.Wrong(Refusal.INTERNAL);
        }
    }

    private InputStream open() throws IOException {
        return new BufferedInputStream(Files.newInputStream(spool.file()), BUFFER_BYTES);
    }

    private void found(Finding finding) {
        turn = null;
        if (over) {
            spool.close();
            return;
        }
        switch (finding) {
            case Finding.Wrong(Refusal reason) -> fail(reason);
            case Finding.Fine(List<SecretFinding> secrets) -> {
                SecretScan mode = matter.permit().push().content().secrets();
                if (!secrets.isEmpty() && mode == SecretScan.DENY) {
                    deny(secrets.getFirst());
                } else {
                    secrets.forEach(
                            s ->
                                    matter.shared()
                                            .audit()
                                            .warned(matter.ask(), action.object().oid(), s.rule()));
                    send();
                }
            }
        }
    }

    private void deny(SecretFinding secret) {
        Failure failure = Failure.of(Refusal.SECRET_FOUND);
        String detail = "rule " + secret.rule() + " in object " + action.object().oid();
        close(failure, detail);
        LfsAnswer.refuse(matter.ask(), matter.permit().repo(), failure, detail);
    }

    private void send() {
        List<SpoolBody.Part> all = List.of(new SpoolBody.Part(0, spool.bytes()));
        SpoolBody body = new SpoolBody(Unpooled.EMPTY_BUFFER, spool.file(), all, matter.loop());
        body.onRelease(spool::close);
        Relay next = upload.relay(body);
        relay = next;
        body.onMore(next::more);
        next.start();
    }

    private void fail(Refusal reason) {
        if (!over) {
            close(Failure.of(reason), action.object().oid().hex());
            upload.refuse(Failure.of(reason));
        }
    }

    /// Of what was not begun nothing is spent.
    private void close(Failure failure, String detail) {
        over = true;
        upload.failed(failure, detail);
        upload.over(false);
        if (turn == null) {
            spool.close();
        } else {
            turn.cancel();
        }
    }

    @Override
    public void abort(Refusal reason) {
        if (relay != null) {
            relay.abort(reason);
        } else if (!over) {
            close(Failure.of(reason), action.object().oid().hex());
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (relay != null) {
            relay.writabilityChanged(writable);
        }
    }
}
