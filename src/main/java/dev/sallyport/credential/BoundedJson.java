package dev.sallyport.credential;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

/// How documents with tokens are read: no repeated members, within limits, and no words of theirs
/// in an exception.
final class BoundedJson {
    private static final int NUMBER_CHARACTERS_MAX = 64;
    private static final int NAME_CHARACTERS_MAX = 256;

    private BoundedJson() {}

    static JsonFactory factory(int depthMax, int stringCharactersMax) {
        return JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(
                        StreamReadConstraints.builder()
                                .maxNestingDepth(depthMax)
                                .maxNumberLength(NUMBER_CHARACTERS_MAX)
                                .maxStringLength(stringCharactersMax)
                                .maxNameLength(NAME_CHARACTERS_MAX)
                                .build())
                .build();
    }
}
