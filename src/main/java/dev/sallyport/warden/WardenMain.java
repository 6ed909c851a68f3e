package dev.sallyport.warden;

/// Entry point of the warden process.
public final class WardenMain {
    private WardenMain() {}

    public static void main(String[] args) {
        System.exit(args.length == 0 ? 1 : 2);
    }
}
