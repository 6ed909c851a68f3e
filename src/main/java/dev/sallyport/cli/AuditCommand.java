package dev.sallyport.cli;

import picocli.CommandLine.Command;

/// The group of commands about the record.
@Command(
        name = "audit",
        description = "Show, explain, export and verify the audit log.",
        footer = {
            "",
            "Examples:",
            "  sallyport audit show --denied",
            "  sallyport audit show --sandbox work --since 2h",
            "  sallyport audit why 019a8f03c2d1",
            "  sallyport audit report work",
            "  sallyport audit verify"
        })
final class AuditCommand {}
