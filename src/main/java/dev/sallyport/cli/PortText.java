package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.session.PublishedPort;
import java.util.List;

/// Published ports as a person reads them.
final class PortText {
    static String list(List<String> published) {
        if (published.isEmpty()) {
            return "No published ports. Publish one with: sallyport ports NAME 3000\n";
        }
        StringBuilder text = new StringBuilder();
        published.forEach(port -> text.append(summary(port)).append('\n'));
        return text.toString();
    }

    /// Where it is reached, and where that leads.
    static String summary(String published) {
        try {
            PublishedPort port = PublishedPort.parse(published);
            List<String> places =
                    port.addresses().stream()
                            .map(address -> place(address) + ":" + port.hostPort())
                            .toList();
            return String.join(", ", places) + " -> " + port.insidePort();
        } catch (MalformedNameException e) {
            return published;
        }
    }

    private static String place(String address) {
        return address.contains(":") ? "[" + address + "]" : address;
    }

    /// Says where a new sandbox's servers will be found, and warns of what others can reach.
    static void give(Output output, Api.SandboxView made) {
        for (String published : made.published()) {
            output.notice("published " + summary(published));
            warn(output, published);
        }
    }

    static void warn(Output output, String published) {
        try {
            if (PublishedPort.parse(published).isOpen()) {
                output.warn(
                        "port "
                                + published
                                + " is not limited to this machine: others can reach the sandbox's server.");
            }
        } catch (MalformedNameException e) {
            // The daemon refuses it and says why.
        }
    }
}
