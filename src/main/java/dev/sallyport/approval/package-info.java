/// What a person is asked before it happens, and what the person said: questions, answers, and the
/// table of those that are open. No I/O, and no library.
///
/// Input: text of a hostile sandbox, bounded here, carried as it is and never parsed.
@NullMarked
package dev.sallyport.approval;

import org.jspecify.annotations.NullMarked;
