package dev.sallyport.forge.graphql;

import dev.sallyport.policy.SessionId;
import graphql.language.Document;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/// Documents that were read and found valid. A client sends the same one again and again, with
/// other variables beside it, and reading it takes longer than judging it. Nothing that was judged
/// is kept here: rights, variables and places are looked at each time.
///
/// Each session has its own, so that no sandbox can find out from the time of an answer what
/// another one has asked; how many others have is not hidden. The tree of a document takes many
/// times the memory of its text, so few are kept for all sessions together, those that were used
/// last, and no long ones.
final class ReadDocuments {
    static final int DOCUMENTS_MAX = 32;
    static final int CHARACTERS_MAX = 8_192;

    private final SequencedMap<Key, Document> known = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(SessionId session, String query) {}

    synchronized Optional<Document> known(SessionId session, String query) {
        return Optional.ofNullable(known.get(new Key(session, query)));
    }

    synchronized void keep(SessionId session, String query, Document valid) {
        if (query.length() > CHARACTERS_MAX) {
            return;
        }
        known.put(new Key(session, query), valid);
        if (known.size() > DOCUMENTS_MAX) {
            known.pollFirstEntry();
        }
    }

    synchronized int size() {
        return known.size();
    }
}
