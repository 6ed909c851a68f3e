package dev.sallyport.session;

import java.util.List;
import java.util.Optional;

/// Sessions in the store that are not with this gateway. They can be looked at, and nothing else:
/// whoever has one serves it and changes it.
public interface OtherSessions {
    /// How many rows are read at once.
    int PAGE_MAX = 1_000;

    /// No row more is read at once after so many bytes of rights and settings.
    int PAGE_BYTES_MAX = 4 << 20;

    /// Of a store that one gateway has for itself, and of one whose others are not to be seen.
    OtherSessions NONE = new OtherSessions() {};

    /// Where a session is.
    ///
    /// @param gateway the id of the one that has it, or had it last
    /// @param address where other machines find that one, if it has said so lately
    /// @param held whether its lease is good
    record Place(String gateway, Optional<String> address, boolean held) {}

    /// One of them.
    record Found(Session session, Place place) {}

    /// Some of them.
    ///
    /// @param found those that can be read; of others their own gateway tells
    /// @param next the id after which to go on; empty when these are the last
    record Page(List<Found> found, Optional<String> next) {
        public Page {
            found = List.copyOf(found);
        }
    }

    /// The id of this gateway; empty when there are no others.
    default Optional<String> here() {
        return Optional.empty();
    }

    /// Those with a higher id, in the order of their ids.
    ///
    /// @param id empty to begin
    default Page after(String id) throws StoreException {
        return new Page(List.of(), Optional.empty());
    }

    /// Where the session of a sandbox's name is, whether it can be read or not.
    default Optional<Place> place(String name) throws StoreException {
        return Optional.empty();
    }

    /// The session of a sandbox's name.
    ///
    /// @throws SessionStore.DamagedException for one that cannot be read
    default Optional<Found> find(String name) throws StoreException {
        return Optional.empty();
    }
}
