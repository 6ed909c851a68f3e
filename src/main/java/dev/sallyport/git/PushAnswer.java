package dev.sallyport.git;

import dev.sallyport.policy.GitService;
import dev.sallyport.relay.Ask;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.OptionalLong;

/// What git hears of a push, begun with the first thing that there is to say.
final class PushAnswer implements Teller.Voice {
    private final JudgedPush.Subject subject;
    private boolean begun;

    PushAnswer(JudgedPush.Subject subject) {
        this.subject = subject;
    }

    void begin() {
        if (begun) {
            return;
        }
        begun = true;
        String type = GitWire.resultType(GitService.RECEIVE_PACK);
        Ask ask = subject.ask();
        ask.responder().start(200, GitWire.answerFields(type), OptionalLong.empty());
        if (hasSideband()) {
            write(PushReport.lines(ask.session().notices()));
        }
    }

    /// Takes ownership.
    void write(ByteBuf piece) {
        subject.ask().responder().write(piece);
    }

    boolean isWritable() {
        return subject.ask().responder().isWritable();
    }

    boolean hasSideband() {
        return subject.commands().sideband();
    }

    @Override
    public boolean isOpen() {
        return hasSideband() && isWritable();
    }

    /// A line for people; there must be a side band.
    @Override
    public void say(String text) {
        begin();
        write(PushReport.line(text));
    }

    /// As [#say], in a line that the next one is written over.
    @Override
    public void sayOver(String text) {
        begin();
        write(PushReport.passing(text));
    }

    /// Nothing for people; there must be a side band.
    void keepAlive() {
        begin();
        write(PushReport.empty());
    }

    /// Ends it: the push was refused.
    void report(List<JudgedUpdate> judged, String outcome) {
        begin();
        write(
                PushReport.refused(
                        subject.permit(), judged, outcome, hasSideband(), subject.ask().id()));
        end();
    }

    void end() {
        subject.ask().responder().end();
    }
}
