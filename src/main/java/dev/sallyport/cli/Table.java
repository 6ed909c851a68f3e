package dev.sallyport.cli;

import java.util.ArrayList;
import java.util.List;

/// Rows aligned for a person to read; columns are as wide as their widest cell.
final class Table {
    private static final String GAP = "  ";
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... headings) {
        rows.add(List.of(headings));
    }

    Table row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException("a row has as many cells as there are headings");
        }
        List<String> shown = new ArrayList<>();
        for (String cell : cells) {
            shown.add(Printable.of(cell));
        }
        rows.add(shown);
        return this;
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    /// @param none what is said when there are no rows
    String render(Ink ink, String none) {
        return isEmpty() ? none : render(ink);
    }

    String render(Ink ink) {
        StringBuilder text = new StringBuilder();
        int[] widths = widths();
        for (int i = 0; i < rows.size(); i++) {
            String line = line(rows.get(i), widths);
            text.append(i == 0 ? ink.bold(line) : line).append('\n');
        }
        return text.toString();
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            line.append(cell).append(" ".repeat(widths[column] - length(cell))).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private int[] widths() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], length(row.get(column)));
            }
        }
        return widths;
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
