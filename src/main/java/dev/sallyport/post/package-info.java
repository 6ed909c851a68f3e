/// Posts what the warden has to tell to a URL that a policy file names. *Trusted input only*: of an
/// answer, which may be hostile, it reads the status and nothing else.
@NullMarked
package dev.sallyport.post;

import org.jspecify.annotations.NullMarked;
