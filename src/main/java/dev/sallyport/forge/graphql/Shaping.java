package dev.sallyport.forge.graphql;

/// Turns upstream's answer into the client's. Called once, with a whole answer of status 200.
public interface Shaping {
    /// Only what was asked for and belongs to a granted repository is in the result, with what the
    /// gateway answers itself in its place.
    byte[] apply(byte[] answer, Learner learner) throws RefusedAnswerException;

    /// Is told what an answer proves, so that the next query need not ask for it.
    interface Learner {
        default void placed(String nodeId, Placed placed) {}

        /// The number of a granted repository, which stays when its name goes to another one.
        default void numbered(RepositoryView repository, long databaseId) {}
    }
}
