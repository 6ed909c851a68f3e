package dev.sallyport.egress;

/// Ends the reading of a hello.
final class BadHello extends Exception {
    private static final long serialVersionUID = 1L;

    private final ClientHello.Flaw flaw;

    BadHello(ClientHello.Flaw flaw) {
        super(flaw.label(), null, false, false);
        this.flaw = flaw;
    }

    ClientHello.Flaw flaw() {
        return flaw;
    }
}
