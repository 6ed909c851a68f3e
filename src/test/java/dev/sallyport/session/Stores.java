package dev.sallyport.session;

import dev.sallyport.config.StorePlace;

/// Opens stores for tests of other packages.
public final class Stores {
    private Stores() {}

    /// In PostgreSQL, with all that other gateways have.
    public static SessionStore open(StorePlace place, GatewayId gateway) throws StoreException {
        return PostgresSessionStore.open(place, gateway, PostgresSessionStore.Sight.ALL);
    }
}
