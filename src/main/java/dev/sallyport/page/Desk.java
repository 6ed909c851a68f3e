package dev.sallyport.page;

import io.netty.handler.codec.http.HttpMethod;

/// The warden's side of the page: who is known, and what the page's operations answer. Its methods
/// may block.
public interface Desk {
    /// Status and JSON.
    record Answer(int status, String body) {}

    /// Whether connections of this account are answered at all.
    boolean knows(int uid);

    /// The account's name, for answers that are recorded.
    String account(int uid);

    /// Whether it is recorded that this account logs in; if not, it does not.
    boolean recordsLogin(int uid);

    /// Whether the question with this id still waits for a person.
    boolean isOpen(String question);

    Answer answer(HttpMethod method, String path, byte[] body, int uid);
}
