package dev.sallyport.egress;

import dev.sallyport.http.Door;
import dev.sallyport.policy.EgressPermit;

/// Where the requests of a connection go whose host is known and whose bytes can be read.
public interface WebDoors {
    /// A door for one connection to the permitted host and port. It asks the policy again for every
    /// request, and closes what it holds upstream when [Connection#close] is called.
    ///
    /// @param tls whether the sandbox spoke TLS, and so the host is spoken TLS with
    Connection open(EgressPermit permit, boolean tls);

    /// The door of one downstream connection.
    interface Connection extends Door, AutoCloseable {
        @Override
        void close();
    }
}
