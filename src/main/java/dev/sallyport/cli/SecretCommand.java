package dev.sallyport.cli;

import picocli.CommandLine.Command;

/// The group of commands about stored credentials.
@Command(
        name = "secret",
        description = "Store, list, rotate and remove the credentials that the gateway uses.",
        footer = {
            "",
            "Examples:",
            "  sallyport secret set github < token.txt",
            "  sallyport secret set corp --host git.corp.example --file token.txt",
            "  sallyport secret rotate github < new-token.txt",
            "  sallyport secret list"
        })
final class SecretCommand {}
