package dev.sallyport.cli;

import java.util.Map;

/// Colour for a stream: present on a terminal, absent everywhere else and whenever the person says
/// so with `NO_COLOR` (no-color.org) or a dumb terminal.
record Ink(boolean enabled) {
    static Ink of(boolean terminal, Map<String, String> environment) {
        boolean refused =
                !environment.getOrDefault("NO_COLOR", "").isEmpty()
                        || environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Ink(terminal && !refused);
    }

    String bold(String text) {
        return paint("1", text);
    }

    String green(String text) {
        return paint("32", text);
    }

    String red(String text) {
        return paint("31", text);
    }

    String yellow(String text) {
        return paint("33", text);
    }

    String faint(String text) {
        return paint("2", text);
    }

    private String paint(String code, String text) {
        return enabled ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
