/// The page that a person opens in a browser: a server on loopback, who may use it, and what it
/// shows. Its files are beside this one among the resources.
///
/// Posture: hostile browsers and hostile accounts of this machine; a sandbox cannot connect. What
/// it shows may be words of a sandbox and stays text.
@NullMarked
package dev.sallyport.page;

import org.jspecify.annotations.NullMarked;
