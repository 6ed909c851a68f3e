package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.ResponseItem;
import dev.sallyport.sandbox.LongWork;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Follows an image that is pulled, layer by layer. Of what the engine and the registry say only
/// numbers are passed on.
final class ImagePull extends PullImageResultCallback {
    private static final long MB = 1_000_000;

    /// No image has as many; what a registry names beyond them is not counted.
    private static final int LAYERS_MAX = 1_000;

    private record Layer(long bytes, long total, boolean done) {}

    private final String image;
    private final LongWork work;
    private final Map<String, Layer> layers = new HashMap<>();
    private boolean over;

    ImagePull(String image, LongWork work) {
        this.image = image;
        this.work = work;
        work.at(image, "asking the registry");
    }

    @Override
    public synchronized void onNext(PullResponseItem item) {
        super.onNext(item);
        String id = item.getId();
        String status = item.getStatus();
        boolean known = layers.size() < LAYERS_MAX || layers.containsKey(id);
        if (id != null && status != null && known && !over) {
            follow(id, status, item.getProgressDetail());
        }
    }

    private void follow(String id, String status, ResponseItem.@Nullable ProgressDetail detail) {
        Layer before = layers.getOrDefault(id, new Layer(0, 0, false));
        switch (status) {
            case "Pulling fs layer", "Waiting" -> layers.put(id, before);
            case "Downloading" -> layers.put(id, downloading(detail, before));
            case "Download complete" ->
                    layers.put(id, new Layer(before.total(), before.total(), false));
            case "Pull complete", "Already exists" ->
                    layers.put(id, new Layer(before.total(), before.total(), true));
            default -> {
                return;
            }
        }
        work.at(image, text());
    }

    private static Layer downloading(ResponseItem.@Nullable ProgressDetail detail, Layer before) {
        return detail == null || detail.getCurrent() == null || detail.getTotal() == null
                ? before
                : new Layer(detail.getCurrent(), detail.getTotal(), false);
    }

    private String text() {
        long done = layers.values().stream().filter(Layer::done).count();
        long bytes = layers.values().stream().mapToLong(Layer::bytes).sum();
        return done + " of " + layers.size() + " layers, " + bytes / MB + " MB";
    }

    @Override
    public synchronized void close() throws IOException {
        over = true;
        work.over(image);
        super.close();
    }
}
