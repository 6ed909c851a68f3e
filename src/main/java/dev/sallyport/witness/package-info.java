/// Tells heads of the record to a host that keeps them. Trusted input only: it sends what the
/// warden signed, and of an answer it reads the status.
@NullMarked
package dev.sallyport.witness;

import org.jspecify.annotations.NullMarked;
