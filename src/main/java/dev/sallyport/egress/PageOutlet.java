package dev.sallyport.egress;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sallyport.audit.Redaction;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretHosts;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.StrictJson;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The answer to a question about an account ([SecretHosts]). It is taken as a whole before the
/// sandbox gets any of it, and without what a sandbox must not have: text that is called a token or
/// the like, or looks like one, and addresses of a service that are not on the list. It is UTF-8:
/// whoever watches for the secret on its way here looks for it in that.
final class PageOutlet implements Outlet {
    static final int BYTES_MAX = 256 * 1_024;
    private static final int DEPTH_MAX = 20;

    private static final Pattern SECRETIVE =
            Pattern.compile("(?i).*(token|secret|password|credential|signature|api_?key).*");

    private static final StrictJson JSON =
            new StrictJson(
                    StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxStringLength(BYTES_MAX)
                            .build());

    private final HostName host;
    private final Outlet sandbox;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable AnswerHead head;

    /// @param host that answers
    PageOutlet(HostName host, Outlet sandbox) {
        this.host = host;
        this.sandbox = sandbox;
    }

    @Override
    public void begin(AnswerHead begun, OptionalLong length) throws RefusedException {
        if (length.orElse(0) > BYTES_MAX) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "the answer is too large");
        }
        head = begun;
    }

    @Override
    public void write(ByteBuf piece) {
        // One byte too many says that it was too much.
        int taken = Math.min(piece.readableBytes(), BYTES_MAX + 1 - body.size());
        byte[] copy = new byte[taken];
        piece.readBytes(copy);
        piece.release();
        body.writeBytes(copy);
    }

    @Override
    public void complete() {
        Optional<byte[]> clean = body.size() == 0 ? Optional.of(new byte[0]) : clean();
        AnswerHead begun = head;
        if (clean.isEmpty() || begun == null) {
            giveUp(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        try {
            sandbox.begin(begun, OptionalLong.of(clean.get().length));
            sandbox.write(Unpooled.wrappedBuffer(clean.get()));
            sandbox.complete();
        } catch (RefusedException e) {
            giveUp(e.refusal());
        }
    }

    private void giveUp(Refusal reason) {
        Failure failure = Failure.of(reason);
        failed(failure);
        refuse(failure);
    }

    /// Empty when nobody can tell what is in it.
    private Optional<byte[]> clean() {
        if (body.size() > BYTES_MAX) {
            return Optional.empty();
        }
        Optional<JsonNode> answer =
                JSON.readValue(body.toByteArray()).filter(node -> !node.isTextual());
        answer.ifPresent(node -> scrub(node, false));
        return answer.map(JSON::bytes);
    }

    /// @param secret whether it is part of what is called a token or the like
    private void scrub(JsonNode node, boolean secret) {
        if (node instanceof ObjectNode object) {
            if (object.get("endpoints") instanceof ObjectNode endpoints) {
                endpoints.properties().removeIf(e -> !isListed(e.getValue().asText()));
            }
            object.properties()
                    .removeIf(
                            member ->
                                    member.getValue().isTextual()
                                            && (secret || isSecretive(member.getKey())));
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                member.setValue(readable(member.getValue()));
                scrub(member.getValue(), secret || isSecretive(member.getKey()));
            }
        } else if (node instanceof ArrayNode array) {
            array.removeIf(item -> secret && item.isTextual());
            for (int i = 0; i < array.size(); i++) {
                array.set(i, readable(array.get(i)));
                scrub(array.get(i), secret);
            }
        }
    }

    private static boolean isSecretive(String name) {
        return SECRETIVE.matcher(name).matches();
    }

    /// Without what looks like a token, whatever it is called. Sentences stay as they are: a
    /// company's instructions may well speak of basic things.
    private static JsonNode readable(JsonNode value) {
        boolean word =
                value.isTextual() && value.textValue().chars().noneMatch(Character::isWhitespace);
        return word ? TextNode.valueOf(Redaction.redact(value.textValue())) : value;
    }

    private boolean isListed(String address) {
        try {
            URI uri = URI.create(address);
            return "https".equals(uri.getScheme())
                    && uri.getHost() != null
                    && uri.getPort() == -1
                    && SecretHosts.isOfService(HostName.parse(uri.getHost()), host);
        } catch (IllegalArgumentException | MalformedNameException _) {
            return false;
        }
    }

    @Override
    public void failed(Failure failure) {
        sandbox.failed(failure);
    }

    @Override
    public void refuse(Failure failure) {
        sandbox.refuse(failure);
    }
}
