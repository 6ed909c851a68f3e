package dev.sallyport.egress;

/// Case as host names have it: A to Z and nothing else. The JDK's folding turns characters of other
/// scripts into ASCII letters.
final class AsciiCase {
    private AsciiCase() {}

    static String lower(String text) {
        StringBuilder lower = new StringBuilder(text.length());
        text.chars().forEach(c -> lower.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c)));
        return lower.toString();
    }
}
