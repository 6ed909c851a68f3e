package dev.sallyport.upstream;

/// What a host is asked in. Over one connection it is one of them only.
public enum Protocol {
    HTTP_1_1,
    /// HTTP/2 if the host speaks it, otherwise HTTP/1.1.
    HTTP_2,
    /// HTTP/1.1, and if the host agrees the connection goes on as a WebSocket.
    WEBSOCKET
}
