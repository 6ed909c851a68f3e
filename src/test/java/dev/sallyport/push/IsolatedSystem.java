package dev.sallyport.push;

import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/// JGit without the configuration of whoever runs the tests.
final class IsolatedSystem extends SystemReader.Delegate {
    private IsolatedSystem(SystemReader real) {
        super(real);
    }

    static void install() {
        if (!(SystemReader.getInstance() instanceof IsolatedSystem)) {
            SystemReader.setInstance(new IsolatedSystem(SystemReader.getInstance()));
        }
    }

    @Override
    public FileBasedConfig openUserConfig(Config parent, FS fs) {
        return empty(fs);
    }

    @Override
    public FileBasedConfig openSystemConfig(Config parent, FS fs) {
        return empty(fs);
    }

    @Override
    public FileBasedConfig openJGitConfig(Config parent, FS fs) {
        return empty(fs);
    }

    private static FileBasedConfig empty(FS fs) {
        return new FileBasedConfig(Path.of("/dev/null").toFile(), fs) {
            @Override
            public void load() {}

            @Override
            public boolean isOutdated() {
                return false;
            }

            @Override
            public void save() {}
        };
    }
}
