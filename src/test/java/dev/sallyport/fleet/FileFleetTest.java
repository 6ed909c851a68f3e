package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import java.util.Optional;

/// What [FleetStoreContract] says, in files.
class FileFleetTest extends FleetStoreContract {
    @Override
    FleetStore open(AgeKey key) {
        return FleetStore.files(temporary.resolve("fleet"), Optional.of(key));
    }
}
