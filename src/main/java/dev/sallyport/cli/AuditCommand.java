package dev.sallyport.cli;

import picocli.CommandLine.Command;

/// The group of commands about the record.
@Command(
        name = "audit",
        description = "Show and verify the audit log.",
        footer = {
            "",
            "Examples:",
            "  sallyport audit show --denied",
            "  sallyport audit show --last 20 --json",
            "  sallyport audit verify"
        })
final class AuditCommand {}
