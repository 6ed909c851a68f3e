package dev.sallyport.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Seed;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The parts of a session that are stored as JSON text. Reading goes through the same parsers as a
/// person's input; anything else is an [IllegalArgumentException].
final class SessionJson {
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .addModule(new Jdk8Module())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .build();

    static String write(SandboxSpec spec) {
        ObjectNode json = JSON.createObjectNode();
        json.put("runtime", spec.runtime().name());
        json.put("workspace", spec.workspace().toString());
        spec.image().ifPresent(image -> json.put("image", image));
        json.put("files", spec.files().toString());
        ArrayNode hosts = json.putArray("gitHosts");
        spec.gitHosts().forEach(host -> hosts.add(host.value()));
        json.set("git", JSON.valueToTree(spec.git()));
        spec.caPem().ifPresent(pem -> json.put("ca", pem));
        json.set("mounts", JSON.valueToTree(MountsText.of(spec.mounts())));
        json.set("resources", JSON.valueToTree(spec.resources()));
        json.set("hardening", JSON.valueToTree(StoredHardening.of(spec.hardening())));
        json.set("home", JSON.valueToTree(HomeText.of(spec.home())));
        return json.toString();
    }

    static SandboxSpec spec(SessionId id, String name, String text) {
        JsonNode json = tree(text);
        SortedSet<HostName> hosts = new TreeSet<>();
        json.required("gitHosts").forEach(host -> hosts.add(new HostName(host.asText())));
        return new SandboxSpec(
                id,
                name,
                RuntimeKind.valueOf(json.required("runtime").asText()),
                Path.of(json.required("workspace").asText()),
                Optional.ofNullable(json.get("image")).map(JsonNode::asText),
                Path.of(json.required("files").asText()),
                hosts,
                git(json),
                Optional.ofNullable(json.get("ca")).map(JsonNode::asText),
                part(json, "mounts", MountsText.class).toMounts(),
                part(json, "resources", Resources.class),
                hardening(json),
                home(json));
    }

    /// A session of an earlier Sallyport says only whether URLs are rewritten, or nothing of an
    /// identity.
    private static GitSettings git(JsonNode json) {
        if (!json.has("git")) {
            boolean rewrite = json.required("gitRewrite").asBoolean();
            return new GitSettings(rewrite, false, false, GitIdentity.NONE);
        }
        addLater(json.get("git"), "identity", JSON.valueToTree(GitIdentity.NONE));
        return part(json, "git", GitSettings.class);
    }

    /// A session of an earlier Sallyport has none: its container runs as its image says.
    private static Hardening hardening(JsonNode json) {
        return json.has("hardening")
                ? part(json, "hardening", StoredHardening.class).toHardening()
                : Hardening.OF_BEFORE;
    }

    /// A session of an earlier Sallyport has nothing in its home, or seeds that replace nothing.
    private static SandboxHome home(JsonNode json) {
        json.path("home")
                .path("seeds")
                .forEach(seed -> addLater(seed, "replaces", BooleanNode.FALSE));
        return json.has("home") ? part(json, "home", HomeText.class).toHome() : SandboxHome.BARE;
    }

    private record HomeText(Optional<String> directory, List<Seed> seeds) {
        static HomeText of(SandboxHome home) {
            return new HomeText(home.directory().map(Path::toString), home.seeds());
        }

        SandboxHome toHome() {
            return new SandboxHome(directory.map(Path::of), seeds);
        }
    }

    /// [Hardening] as it is stored.
    private record StoredHardening(
            String user, Optional<String> runtimeClass, boolean userNamespace) {
        static StoredHardening of(Hardening hardening) {
            return new StoredHardening(
                    hardening.user().label(), hardening.runtimeClass(), hardening.userNamespace());
        }

        Hardening toHardening() {
            return new Hardening(SandboxUser.parse(user), runtimeClass, userNamespace);
        }
    }

    private static <T> T part(JsonNode json, String name, Class<T> type) {
        try {
            return JSON.treeToValue(json.required(name), type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its " + name + " are not what was written", e);
        }
    }

    static String write(Identity identity) {
        return tree(identity).toString();
    }

    private static ObjectNode tree(Identity identity) {
        return JSON.valueToTree(identity);
    }

    static Identity identity(String text) {
        return identity(tree(text));
    }

    private static Identity identity(JsonNode json) {
        return new Identity(
                json.required("runtimeId").asText(),
                json.required("pid").asLong(),
                json.required("startTicks").asLong(),
                json.required("netNamespaceInode").asLong());
    }

    static String write(Verified verified) {
        ObjectNode json = tree(verified.identity());
        json.put("by", verified.by());
        json.put("atMillis", verified.at().toEpochMilli());
        json.put("paused", verified.paused());
        return json.toString();
    }

    static Verified verified(String text) {
        JsonNode json = tree(text);
        return new Verified(
                identity(json),
                json.required("by").asText(),
                Instant.ofEpochMilli(
                        SessionRow.possible("atMillis", json.required("atMillis").asLong())),
                json.path("paused").asBoolean(false));
    }

    static String write(Caps caps) {
        ObjectNode json = JSON.createObjectNode();
        caps.requests().ifPresent(cap -> json.put("requests", cap));
        caps.bytes().ifPresent(cap -> json.put("bytes", cap));
        caps.pushes().ifPresent(cap -> json.put("pushes", cap));
        return json.toString();
    }

    static Caps caps(String text) {
        JsonNode json = tree(text);
        return new Caps(cap(json, "requests"), cap(json, "bytes"), cap(json, "pushes"));
    }

    /// What is no number is 0, which no cap may be.
    private static Optional<Long> cap(JsonNode json, String key) {
        return Optional.ofNullable(json.get(key)).map(JsonNode::asLong);
    }

    /// What a session may do, as it was read.
    record Rights(List<RepoGrant> grants, Egress egress, Asked asked) {}

    /// The same as text.
    ///
    /// @param asked absent in a session of an earlier Sallyport
    private record RightsText(
            List<GrantText> git,
            List<EgressText> egress,
            boolean learn,
            Optional<AskedText> asked) {}

    private record AskedText(
            List<String> repos,
            boolean egress,
            List<EgressText> own,
            List<String> published,
            Optional<String> machine) {
        static AskedText of(Asked asked) {
            return new AskedText(
                    asked.repos(),
                    asked.egress(),
                    asked.own().stream().map(EgressText::of).toList(),
                    asked.published().stream().map(PublishedPort::toString).toList(),
                    asked.machine());
        }

        Asked toAsked() throws MalformedNameException {
            return new Asked(
                    repos,
                    egress,
                    Parsing.all(own, EgressText::toRule),
                    Parsing.all(published, PublishedPort::parse),
                    machine);
        }
    }

    static String writeRights(Session session) {
        RightsText text =
                new RightsText(
                        session.grants().stream().map(GrantText::of).toList(),
                        session.egress().rules().stream().map(EgressText::of).toList(),
                        session.egress().learn(),
                        Optional.of(AskedText.of(session.asked())));
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("rights that cannot be written", e);
        }
    }

    static Rights rights(String written) throws MalformedNameException {
        RightsText text = rightsText(written);
        List<RepoGrant> grants = Parsing.all(text.git(), GrantText::toGrant);
        Egress egress = new Egress(Parsing.all(text.egress(), EgressText::toRule), text.learn());
        return new Rights(
                grants,
                egress,
                text.asked().isPresent()
                        ? text.asked().get().toAsked()
                        : Asked.like(grants, egress));
    }

    private static RightsText rightsText(String written) {
        try {
            JsonNode json = JSON.readTree(written);
            for (JsonNode grant : json.path("git")) {
                addLaterKeys(grant);
            }
            addLater(json, "asked", JSON.nullNode());
            addLaterRuleKeys(json.path("egress"));
            addLaterRuleKeys(json.path("asked").path("own"));
            addLater(json.path("asked"), "published", JSON.createArrayNode());
            addLater(json.path("asked"), "machine", JSON.nullNode());
            RightsText text = JSON.treeToValue(json, RightsText.class);
            if (text != null && !text.git().contains(null) && !text.egress().contains(null)) {
                return text;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its rights are not what was written", e);
        }
        throw new IllegalArgumentException("its rights are not what was written");
    }

    /// A session of an earlier Sallyport has no trusted refs but branches and tags, says nothing
    /// about the copy, and has no API.
    private static void addLaterKeys(JsonNode grant) {
        addLater(grant, "refsTrusted", JSON.createArrayNode());
        addLater(grant, "mirror", TextNode.valueOf(MirrorUse.AUTO.label()));
        addLater(grant, "api", JSON.nullNode());
        addLater(grant, "ask", JSON.nullNode());
        addLater(grant.path("api"), "ask", JSON.createArrayNode());
    }

    private static void addLater(JsonNode in, String key, JsonNode value) {
        if (in instanceof ObjectNode object && !object.has(key)) {
            object.set(key, value);
        }
    }

    private static void addLaterRuleKeys(JsonNode rules) {
        for (JsonNode rule : rules) {
            addLaterLists(rule.path("inspection"));
            addLater(rule, "tcp", BooleanNode.FALSE);
            addLater(rule, "ask", BooleanNode.FALSE);
        }
    }

    /// One of an earlier Sallyport knows of no JSON that is taken out or ignored, and asks nobody.
    private static void addLaterLists(JsonNode inspection) {
        if (inspection instanceof ObjectNode object && !object.has("jsonRemoved")) {
            object.putArray("jsonRemoved");
            object.putArray("jsonIgnored");
        }
        addLater(inspection, "ask", BooleanNode.FALSE);
    }

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is not JSON", e);
        }
    }

    /// Mounts as they are stored.
    record MountsText(List<One> extra, List<String> hidden, boolean searched) {
        record One(String path, boolean writable, boolean unsafe) {}

        static MountsText of(Mounts mounts) {
            return new MountsText(
                    mounts.extra().stream().map(MountsText::one).toList(),
                    mounts.hidden().stream().map(Path::toString).toList(),
                    mounts.searched());
        }

        private static One one(HostMount mount) {
            return new One(mount.path().toString(), mount.writable(), mount.unsafe());
        }

        Mounts toMounts() {
            return new Mounts(
                    extra.stream()
                            .map(one -> new HostMount(Path.of(one.path), one.writable, one.unsafe))
                            .toList(),
                    hidden.stream().map(Path::of).toList(),
                    searched);
        }
    }
}
