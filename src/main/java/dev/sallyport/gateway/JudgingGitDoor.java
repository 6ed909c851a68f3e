package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.git.GitDoor;
import dev.sallyport.git.PushJudging;
import dev.sallyport.mirror.Mirrors;
import dev.sallyport.push.Judge;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import io.netty.channel.EventLoopGroup;
import java.nio.file.Path;

/// Puts the git door together with all that judges pushes.
///
/// @param work a directory of this process alone, for what is being judged
/// @param mirrors the copies of repositories, which outlive this process
record JudgingGitDoor(EventLoopGroup loops, Path work, Path mirrors) implements Gateway.GitDoors {
    @Override
    public Opened open(Limits limits, Client upstream, Recorder recorder, UsageMeter meter) {
        PushJudging judging =
                new PushJudging(
                        limits.push(),
                        work,
                        new Mirrors(mirrors, limits.mirror(), upstream, loops),
                        new Judge(limits.push(), SecretScanner.standard()));
        GitDoor door = new GitDoor(limits.git(), upstream, recorder, meter, judging);
        return new Opened(door, door);
    }
}
