package dev.sallyport.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The parts of a session that are stored as JSON text. Reading goes through the same parsers as a
/// person's input; anything else is an [IllegalArgumentException].
final class SessionJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private SessionJson() {}

    static String write(SandboxSpec spec) {
        ObjectNode json = JSON.createObjectNode();
        json.put("runtime", spec.runtime().name());
        json.put("workspace", spec.workspace().toString());
        spec.image().ifPresent(image -> json.put("image", image));
        json.put("files", spec.files().toString());
        ArrayNode hosts = json.putArray("gitHosts");
        spec.gitHosts().forEach(host -> hosts.add(host.value()));
        json.put("gitRewrite", spec.gitRewrite());
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
                json.required("gitRewrite").asBoolean());
    }

    static String write(Identity identity) {
        ObjectNode json = JSON.createObjectNode();
        json.put("runtimeId", identity.runtimeId());
        json.put("pid", identity.pid());
        json.put("startTicks", identity.startTicks());
        json.put("netNamespaceInode", identity.netNamespaceInode());
        return json.toString();
    }

    static Identity identity(String text) {
        JsonNode json = tree(text);
        return new Identity(
                json.required("runtimeId").asText(),
                json.required("pid").asLong(),
                json.required("startTicks").asLong(),
                json.required("netNamespaceInode").asLong());
    }

    static String write(List<RepoGrant> grants) {
        ArrayNode json = JSON.createArrayNode();
        for (RepoGrant grant : grants) {
            PushRules push = grant.push();
            ObjectNode entry = json.addObject();
            entry.put("repo", grant.repo().text());
            entry.put("access", grant.access().name());
            ArrayNode branches = entry.putArray("branches");
            push.branches().forEach(branch -> branches.add(branch.toString()));
            entry.put("delete", push.delete());
            entry.put("tags", push.tags());
            entry.put("packBytesMax", push.packBytesMax());
        }
        return json.toString();
    }

    static List<RepoGrant> grants(String text) throws MalformedNameException {
        List<RepoGrant> grants = new ArrayList<>();
        for (JsonNode entry : tree(text)) {
            List<RefPattern> branches = new ArrayList<>();
            for (JsonNode branch : entry.required("branches")) {
                branches.add(RefPattern.parse(branch.asText()));
            }
            PushRules push =
                    new PushRules(
                            branches,
                            false,
                            entry.required("delete").asBoolean(),
                            entry.required("tags").asBoolean(),
                            entry.required("packBytesMax").asLong(),
                            ContentRules.standard());
            grants.add(
                    new RepoGrant(
                            RepoPattern.parse(entry.required("repo").asText()),
                            Access.valueOf(entry.required("access").asText()),
                            RefVisibility.all(),
                            push));
        }
        return grants;
    }

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is not JSON", e);
        }
    }
}
