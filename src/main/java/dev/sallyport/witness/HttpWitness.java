package dev.sallyport.witness;

import dev.sallyport.audit.Witness;
import dev.sallyport.post.Post;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Posts each head to the one URL that a policy file names.
public final class HttpWitness implements Witness {
    private final Post post;

    public HttpWitness(Post post) {
        this.post = post;
    }

    @Override
    public void tell(String head) throws IOException {
        post.send("text/plain", Map.of(), head.getBytes(StandardCharsets.US_ASCII));
    }
}
