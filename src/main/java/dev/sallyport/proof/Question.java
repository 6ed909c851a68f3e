package dev.sallyport.proof;

/// A DNS question for the address of a name (RFC 1035, section 4.1), and what the head of an answer
/// says.
final class Question {
    private static final String ID = "\\x12\\x34";
    private static final String HEAD = ID + "\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00";
    private static final String ADDRESS = "\\x00\\x00\\x01\\x00\\x01";
    private static final int HEAD_BYTES = 12;
    private static final int NO_SUCH_NAME = 3;

    private Question() {}

    /// As `printf` of bash writes it.
    static String escaped(String name) {
        StringBuilder text = new StringBuilder(HEAD);
        for (String label : name.split("\\.", -1)) {
            text.append(String.format("\\x%02x", label.length()));
            label.chars().forEach(c -> text.append(String.format("\\x%02x", c)));
        }
        return text.append(ADDRESS).toString();
    }

    /// In words, for a person.
    static String meaning(String answer) {
        if (answer.length() < HEAD_BYTES || answer.charAt(0) != 0x12 || answer.charAt(1) != 0x34) {
            return "no answer";
        }
        int code = answer.charAt(3) & 0xf;
        int records = (answer.charAt(6) << 8) | answer.charAt(7);
        return switch (code) {
            case 0 -> records > 0 ? "an address" : "no address";
            case NO_SUCH_NAME -> "NXDOMAIN";
            default -> "code " + code;
        };
    }
}
