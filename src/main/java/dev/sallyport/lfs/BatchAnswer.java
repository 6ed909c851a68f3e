package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What a git host answers to a batch, read strictly: about each object that was asked for, once,
/// and about no other. Nothing of its text reaches a sandbox.
record BatchAnswer(Map<Oid, Result> results) {
    static final int BYTES_MAX = 8 << 20;

    /// About one object.
    sealed interface Result {
        /// How it is transferred; none when there is nothing to do.
        record Actions(Map<Action.Verb, Action> byVerb) implements Result {
            public Actions {
                byVerb = Map.copyOf(byVerb);
            }
        }

        /// The host has an error of this kind, such as 404 for an object that it does not have.
        record Failed(int code) implements Result {}

        /// It says to go where nobody may go.
        record Denied(Refusal reason, String host) implements Result {}
    }

    BatchAnswer {
        results = Map.copyOf(results);
    }

    static BatchAnswer parse(byte[] body, BatchRequest asked, ActionReader actions)
            throws RefusedException {
        ObjectNode root = LfsJson.JSON.read(body).orElseThrow(BatchAnswer::garbage);
        require(root.path("transfer").asText("basic").equals("basic"));
        require(root.path("hash_algo").asText("sha256").equals("sha256"));
        JsonNode list = root.path("objects");
        require(list.isArray() && list.size() <= asked.objects().size());
        Map<Oid, LfsObject> open = new HashMap<>();
        asked.objects().forEach(object -> open.put(object.oid(), object));
        Map<Oid, Result> results = new LinkedHashMap<>();
        for (JsonNode node : list) {
            Oid oid = Oid.parse(node.path("oid").asText("")).orElseThrow(BatchAnswer::garbage);
            LfsObject object = open.remove(oid);
            if (object == null) {
                throw garbage();
            }
            results.put(oid, result(node, object, asked, actions));
        }
        return new BatchAnswer(results);
    }

    private static Result result(
            JsonNode node, LfsObject object, BatchRequest asked, ActionReader actions)
            throws RefusedException {
        JsonNode error = node.path("error");
        if (!error.isMissingNode() && !error.isNull()) {
            return new Result.Failed(error.path("code").asInt(0));
        }
        Map<Action.Verb, Action> byVerb = new EnumMap<>(Action.Verb.class);
        for (Action.Verb verb : verbs(asked)) {
            JsonNode action = node.path("actions").path(verb.word());
            if (action.isMissingNode() || action.isNull()) {
                continue;
            }
            switch (actions.read(action, object)) {
                case ActionReader.Reading.Fit(Action fit) -> byVerb.put(verb, fit);
                case ActionReader.Reading.Unfit(Refusal reason, String host) -> {
                    return new Result.Denied(reason, host);
                }
            }
        }
        return new Result.Actions(byVerb);
    }

    private static Action.Verb[] verbs(BatchRequest asked) {
        return asked.isUpload()
                ? new Action.Verb[] {Action.Verb.UPLOAD, Action.Verb.VERIFY}
                : new Action.Verb[] {Action.Verb.DOWNLOAD};
    }

    /// An object that the host says nothing about counts as one that it does not have.
    Result of(Oid oid) {
        return Optional.ofNullable(results.get(oid)).orElse(new Result.Failed(404));
    }

    private static void require(boolean holds) throws RefusedException {
        if (!holds) {
            throw garbage();
        }
    }

    private static RefusedException garbage() {
        return new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "not an answer to the batch");
    }
}
