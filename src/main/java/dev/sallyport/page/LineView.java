package dev.sallyport.page;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.story.LineWords;
import java.util.List;
import java.util.Map;

/// One line of the record as the page gets it.
///
/// @param sandbox its name; its session where that is not known; empty for the whole system
/// @param asked what was asked, in words
record LineView(
        long seq,
        String time,
        String sandbox,
        String kind,
        String decision,
        String asked,
        List<Reason> reasons,
        Map<String, String> detail) {

    /// @param remedy what would allow it; empty when no command does
    record Reason(String code, String sentence, String remedy) {}

    static LineView of(AuditLine line, String sandbox) {
        LineWords words = new LineWords(line);
        return new LineView(
                line.seq(),
                line.time().toString(),
                sandbox,
                line.event().kind(),
                line.event().decision(),
                words.asked(),
                words.reasons().stream()
                        .map(why -> new Reason(why.code(), why.sentence(), why.remedy(sandbox)))
                        .toList(),
                line.event().detail());
    }
}
