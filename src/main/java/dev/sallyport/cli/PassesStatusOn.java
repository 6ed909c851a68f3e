package dev.sallyport.cli;

/// A command whose process status is that of the program it runs, so that its own failures need a
/// status apart; see [ExitCode#RUN_FAILED].
interface PassesStatusOn {}
