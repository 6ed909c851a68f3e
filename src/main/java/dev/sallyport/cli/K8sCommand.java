package dev.sallyport.cli;

import picocli.CommandLine.Command;

/// The group of commands about Kubernetes.
@Command(
        name = "k8s",
        description = "Run sandboxes as pods of Kubernetes.",
        footer = {
            "",
            "Examples:",
            "  sallyport k8s render --gateway 10.96.0.20:8443 --image node:24 --repo acme/app -- npm test",
            "  sallyport k8s render ... | kubectl apply -f -",
            "",
            "See docs/kubernetes.md."
        })
final class K8sCommand {}
