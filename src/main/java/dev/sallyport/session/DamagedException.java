package dev.sallyport.session;

/// The row that was asked for cannot be read.
public final class DamagedException extends StoreException {
    private static final long serialVersionUID = 1L;

    private final transient DamagedRow row;

    DamagedException(DamagedRow row) {
        super("The record of the sandbox " + row.name() + " is damaged: " + row.reason());
        this.row = row;
    }

    public DamagedRow row() {
        return row;
    }
}
