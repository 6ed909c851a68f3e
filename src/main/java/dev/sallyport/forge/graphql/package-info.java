/// Judges GraphQL queries for the API of GitHub and shapes the answers: pure functions, no I/O.
///
/// Posture: *hostile sandbox* for queries, *hostile upstream* for answers. A query is read against
/// a schema of our own (`github.graphqls`), which has only what ordinary clients need; what goes
/// upstream is printed anew from what was judged, and what comes back is built anew from the same
/// plan, so that neither has a byte that nobody looked at (G22, G23).
@NullMarked
package dev.sallyport.forge.graphql;

import org.jspecify.annotations.NullMarked;
