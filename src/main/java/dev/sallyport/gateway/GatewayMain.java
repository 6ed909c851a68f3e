package dev.sallyport.gateway;

/// Entry point of the gateway process.
public final class GatewayMain {
    private GatewayMain() {}

    public static void main(String[] args) {
        System.exit(args.length == 0 ? 1 : 2);
    }
}
