package dev.sallyport.config;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Makes [Limits] from the `limits:` of a policy file. The keys are the names of the record's own
/// components, so that a limit cannot exist in code and be missing in the file.
final class LimitsReader {
    private LimitsReader() {}

    static Limits read(YamlMapping yaml) throws ConfigException {
        List<Object> groups = new ArrayList<>();
        RecordComponent[] components = Limits.class.getRecordComponents();
        yaml.requireOnly(Arrays.stream(components).map(c -> kebab(c.getName())).toList());
        for (RecordComponent component : components) {
            Object standard = value(component, Limits.standard());
            Optional<YamlMapping> group = yaml.mapping(kebab(component.getName()));
            groups.add(group.isPresent() ? group(component, standard, group.get()) : standard);
        }
        Limits limits = (Limits) make(Limits.class, groups);
        requireShares(yaml, limits.sharing());
        return limits;
    }

    private static Object group(RecordComponent group, Object standard, YamlMapping yaml)
            throws ConfigException {
        RecordComponent[] components = group.getType().getRecordComponents();
        yaml.requireOnly(Arrays.stream(components).map(c -> kebab(c.getName())).toList());
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : components) {
            String key = kebab(component.getName());
            LimitRange range = LimitRange.of(kebab(group.getName()) + "." + key);
            OptionalLong chosen = yaml.number(key, range.min(), range.max());
            Object value = value(component, standard);
            if (chosen.isPresent()) {
                boolean isInt = component.getType() == int.class;
                long number = chosen.getAsLong();
                value = isInt ? (Object) Math.toIntExact(number) : (Object) number;
            }
            values.add(value);
        }
        return make(group.getType(), values);
    }

    /// One sandbox's share cannot exceed the whole: it would be the only one left with any.
    private static void requireShares(YamlMapping yaml, Limits.Sharing sharing)
            throws ConfigException {
        if (sharing.connectionsPerSandboxMax() > sharing.connectionsTotalMax()
                || sharing.requestsInFlightPerSandboxMax() > sharing.requestsInFlightTotalMax()) {
            throw yaml.problem(
                    "sharing",
                    "a sandbox's share is larger than the total.",
                    "Raise the -total- value or lower the -per-sandbox- value.");
        }
    }

    static String kebab(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    static Object value(RecordComponent component, Object owner) {
        try {
            return component.getAccessor().invoke(owner);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static Object make(Class<?> type, List<Object> values) {
        Class<?>[] types =
                Arrays.stream(type.getRecordComponents())
                        .map(RecordComponent::getType)
                        .toArray(Class<?>[]::new);
        try {
            return type.getDeclaredConstructor(types).newInstance(values.toArray());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
