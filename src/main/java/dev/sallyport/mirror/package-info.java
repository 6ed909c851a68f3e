/// Local copies of upstream repositories: freshness, ancestry, reachability. Posture: hostile
/// upstream; nothing that a sandbox wrote configures a copy.
@NullMarked
package dev.sallyport.mirror;

import org.jspecify.annotations.NullMarked;
