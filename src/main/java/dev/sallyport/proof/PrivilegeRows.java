package dev.sallyport.proof;

import java.util.ArrayList;
import java.util.List;

/// What a command in the sandbox may do beyond running.
record PrivilegeRows(Testimony inside) {
    /// Without the bounding set: it limits what `execve` could add, and with no new privileges, the
    /// row after this one, that is nothing.
    private static final List<String> CAPABILITIES =
            List.of("CapInh", "CapPrm", "CapEff", "CapAmb");

    List<Row> rows() {
        return List.of(
                capabilities(),
                status("NoNewPrivs", "1"),
                status("Seccomp", "2"),
                masked(),
                closed());
    }

    private Row capabilities() {
        List<String> held = new ArrayList<>();
        for (String set : CAPABILITIES) {
            String value = inside.field("status", set).orElse("unknown");
            if (!value.matches("0+")) {
                held.add(set + " " + value);
            }
        }
        return Row.of(
                "capabilities of a command",
                "none in any set",
                held.isEmpty(),
                held.isEmpty() ? "none" : String.join(", ", held));
    }

    private Row status(String field, String wanted) {
        String seen = inside.field("status", field).orElse("unknown");
        return Row.of(field + " of a command", wanted, seen.equals(wanted), seen);
    }

    private Row masked() {
        List<String> shown = inside.lines("unmasked");
        return Row.of(
                "the kernel's tables in /proc",
                "hidden",
                inside.part("unmasked").isPresent() && shown.isEmpty(),
                shown.isEmpty() ? "hidden" : String.join(" ", shown));
    }

    /// `/dev/null` opens, so that it is not the probe that fails.
    private Row closed() {
        List<String> open = inside.lines("writable");
        boolean control = inside.lines("control").contains("opened");
        return Row.of(
                "open settings of kernel and gateway for writing",
                "refused, while /dev/null opens",
                control && open.isEmpty(),
                open.isEmpty() ? control ? "refused" : "nothing opens" : String.join(" ", open));
    }
}
