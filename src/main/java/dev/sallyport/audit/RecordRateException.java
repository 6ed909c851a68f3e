package dev.sallyport.audit;

import java.io.IOException;

/// A session has used up the lines that it may add to the record for now.
final class RecordRateException extends IOException {
    private static final long serialVersionUID = 1L;

    RecordRateException() {
        super("this session adds too much to the record");
    }
}
