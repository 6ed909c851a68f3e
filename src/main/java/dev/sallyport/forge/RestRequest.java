package dev.sallyport.forge;

import dev.sallyport.policy.HostName;

/// A request to the REST API of a git host, as the sandbox sent it.
///
/// @param host the git host, such as github.com; its API may have another name
/// @param path as sent, with escapes, and with the root of the API (`/api/v3` of an Enterprise
///   host)
/// @param query as sent, without the question mark; empty when there is none
/// @param accept the field of that name; empty when there is none
/// @param body whole; empty when there is none
@SuppressWarnings("ArrayRecordComponent") // Nobody compares requests.
public record RestRequest(
        HostName host, String method, String path, String query, String accept, byte[] body) {
    boolean isRead() {
        return method.equals("GET") || method.equals("HEAD");
    }
}
