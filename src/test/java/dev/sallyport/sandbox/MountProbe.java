package dev.sallyport.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Says of each path whether it could be mounted, in a process whose mounts a test has arranged.
public final class MountProbe {
    private MountProbe() {}

    public static void main(String... arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Person current = Person.current();
        Person person = new Person(current.uid(), current.gid(), "me", home);
        var installation = new Installation(home.resolve(".sallyport"));
        MountRules rules = new MountRules(person, installation, Map.of());
        for (String path : List.of(arguments).subList(1, arguments.length)) {
            System.out.println(path + " " + rules.obstacle(Path.of(path), false).orElse("fine"));
        }
    }
}
