package dev.sallyport.git;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Outlet;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.OptionalLong;

/// Straight to the sandbox, under a head of our own. It begins only when there is something to say,
/// so that an upstream which fails before that gets a proper refusal.
final class GitOutlet implements Outlet {
    private final GitAudit audit;
    private final Ask ask;
    private final String type;
    private OptionalLong length = OptionalLong.empty();
    private boolean begun;

    GitOutlet(GitAudit audit, Ask ask, String type) {
        this.audit = audit;
        this.ask = ask;
        this.type = type;
    }

    @Override
    public void begin(AnswerHead head, OptionalLong bytes) {
        length = bytes;
    }

    private void begin() {
        if (!begun) {
            begun = true;
            ask.responder().start(200, GitWire.answerFields(type), length);
        }
    }

    @Override
    public void write(ByteBuf piece) {
        begin();
        ask.responder().write(piece);
    }

    @Override
    public void complete() {
        begin();
        ask.responder().end();
    }

    @Override
    public void failed(Failure failure) {
        audit.failed(ask, failure);
    }

    /// That the disk is full a person must hear, and of a fetch git prints no refusal in HTTP.
    @Override
    public void refuse(Failure failure) {
        boolean fetch = type.equals(GitWire.resultType(GitService.UPLOAD_PACK));
        if (fetch && !begun && failure.reason() == Refusal.DISK_FULL) {
            error(ask.refusalText(failure));
        } else {
            ask.refuse(failure);
        }
    }

    /// In place of an answer: git prints the text and fails.
    void error(String text) {
        ByteBuf error = Unpooled.buffer();
        PktLine.write(error, "ERR " + text);
        ask.responder().answer(200, GitWire.answerFields(type), error);
    }
}
