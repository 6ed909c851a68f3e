package dev.sallyport.session;

/// The few words that the two databases spell differently.
///
/// @param integer 64 bits
/// @param greatest the larger of two values
/// @param strict ends a table whose columns keep to their types
/// @param namespace the inode of a sandbox's network namespace; of a damaged row none
/// @param shared columns for what several gateways share
/// @param listed one of those in a JSON text
/// @param locking until the end of the transaction; SQLite locks the whole file
/// @param elsewhere what to do with a store that this version cannot use
record SqlDialect(
        String integer,
        String greatest,
        String strict,
        String namespace,
        String shared,
        String listed,
        String locking,
        String elsewhere) {
    static final SqlDialect SQLITE =
            new SqlDialect(
                    "INTEGER",
                    "max",
                    " STRICT",
                    "CASE WHEN json_valid(identity) THEN json_extract(identity, '$.netNamespaceInode') END",
                    "",
                    "IN (SELECT value FROM json_each(?))",
                    "",
                    "move the file aside");

    /// A cast of a damaged row's text to JSON would fail, and with it the index.
    static final SqlDialect POSTGRESQL =
            new SqlDialect(
                    "BIGINT",
                    "greatest",
                    "",
                    "substring(identity from '\"netNamespaceInode\":([0-9]{1,18})')::bigint",
                    ", gateway TEXT NOT NULL DEFAULT '', epoch BIGINT NOT NULL DEFAULT 0",
                    "= ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)))",
                    " FOR NO KEY UPDATE",
                    "use another database");
}
