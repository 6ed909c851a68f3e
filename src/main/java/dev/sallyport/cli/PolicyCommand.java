package dev.sallyport.cli;

import picocli.CommandLine.Command;

/// The group of commands about what is allowed.
@Command(
        name = "policy",
        description = "Check, apply, explain and export the policy.",
        footer = {
            "",
            "Examples:",
            "  sallyport policy check",
            "  sallyport policy apply",
            "  sallyport policy explain https://api.example.com/v1/models",
            "  sallyport policy explain acme/app",
            "  sallyport policy suggest work"
        })
final class PolicyCommand {}
