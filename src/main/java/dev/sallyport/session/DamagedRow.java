package dev.sallyport.session;

/// A session whose row cannot be read any more: nobody knows its rights, so it has none. It keeps
/// its name until a person removes it.
///
/// @param id as stored, which may be no session's id
/// @param name as stored, which may be no sandbox's name
public record DamagedRow(String id, String name, String reason) {}
