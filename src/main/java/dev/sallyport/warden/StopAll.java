package dev.sallyport.warden;

import dev.sallyport.session.Session;

/// Stops all sandboxes, many at a time, because the warden was told to end with them.
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
            if (session.ephemeral()) {
                sandboxes.destroy(session.id());
            } else {
                sandboxes.stop(session.name());
            }
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not stopped: " + session.name(), e);
        }
    }
}
