package dev.sallyport.cli;

import dev.sallyport.control.Api;

/// How a sandbox is held, as a person reads it.
final class HardeningText {
    private HardeningText() {}

    static String user(Api.HardeningView view) {
        return view.process()
                .map(HardeningText::user)
                .orElse("-")
                .concat(view.user().equals("usual") ? "" : " (--user " + view.user() + ")");
    }

    private static String user(Api.ProcessUserView process) {
        String numbers = process.uid() + ":" + process.gid() + " on the host";
        return process.uid() == 0 ? numbers + ", ROOT without any capability" : numbers;
    }
}
