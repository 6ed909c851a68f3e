package dev.sallyport.cli;

/// One fact per line, values aligned.
final class Lines {
    private static final int LABEL_WIDTH = 12;
    private final StringBuilder text = new StringBuilder();

    Lines add(String label, String value) {
        text.append(label)
                .append(" ".repeat(Math.max(1, LABEL_WIDTH - label.length())))
                .append(Printable.of(value))
                .append('\n');
        return this;
    }

    String text() {
        return text.toString();
    }
}
