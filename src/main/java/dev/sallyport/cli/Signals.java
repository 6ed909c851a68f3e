package dev.sallyport.cli;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/// Signals that reach this process while a command runs in the foreground. They are the command's,
/// not ours: the JVM must not die of a Ctrl-C that an editor inside the sandbox understands as
/// "cancel".
///
/// `sun.misc.Signal` is the JDK's supported way to do this, but the compiler warns of its name and
/// warnings are errors here; hence reflection.
final class Signals {
    /// Sends each of these (`INT`, `TERM`, ...) to `listener` instead of ending the process. A
    /// signal that was ignored when we started, as under `nohup`, stays ignored.
    static void redirect(List<String> names, Consumer<String> listener) {
        for (String name : names) {
            redirect(name, listener);
        }
    }

    /// The process goes on as if it had not been sent.
    static void ignore(String name) {
        try {
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            handle(name, handler, handler.getField("SIG_IGN").get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM cannot ignore the signal " + name, e);
        }
    }

    private static void handle(String name, Class<?> type, Object handler)
            throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Object subject = signal.getConstructor(String.class).newInstance(name);
        signal.getMethod("handle", signal, type).invoke(null, subject, handler);
    }

    private static void redirect(String name, Consumer<String> listener) {
        try {
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy =
                    Proxy.newProxyInstance(
                            handler.getClassLoader(),
                            new Class<?>[] {handler},
                            (self, method, arguments) ->
                                    switch (method.getName()) {
                                        case "handle" -> {
                                            listener.accept(name);
                                            yield null;
                                        }
                                        case "hashCode" -> System.identityHashCode(self);
                                        case "equals" ->
                                                System.identityHashCode(self)
                                                        == System.identityHashCode(arguments[0]);
                                        default -> "handler of " + name;
                                    });
            handle(name, handler, proxy);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM cannot handle the signal " + name, e);
        }
    }
}
