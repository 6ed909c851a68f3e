/// Has tokens of a GitHub App minted, and gives them back: all that the warden asks the network for
/// (ADR 23).
///
/// *Hostile upstream*: the answers come from the network; nothing of a sandbox's gets here.
@NullMarked
package dev.sallyport.mint;

import org.jspecify.annotations.NullMarked;
