package dev.sallyport.warden;

import dev.sallyport.session.Session;

/// Stops all sandboxes, many at a time, because the warden was told to end with them. Only that
/// happens without a record if it must: it takes rights away, and who cannot do it so uses `kill`.
record StopAll(Sandboxes sandboxes) {
    private static final System.Logger LOG = System.getLogger(StopAll.class.getName());

    void run() throws OperationException {
        try {
            AtOnce.each(sandboxes.list(), this::stop);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop(Session session) {
        try {
            sandboxes.leave(session.id());
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not stopped: " + session.name(), e);
        }
    }
}
