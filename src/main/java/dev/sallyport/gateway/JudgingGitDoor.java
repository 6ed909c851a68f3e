package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.Figure;
import dev.sallyport.config.Limits;
import dev.sallyport.git.GitDoor;
import dev.sallyport.git.PushJudging;
import dev.sallyport.lfs.LfsDoor;
import dev.sallyport.lfs.Presence;
import dev.sallyport.mirror.Mirrors;
import dev.sallyport.policy.Proposals;
import dev.sallyport.push.Judge;
import dev.sallyport.push.SecretFinder;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import io.netty.channel.EventLoopGroup;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongSupplier;

/// Puts the git door together with all that judges pushes.
///
/// @param work a directory of this process alone, for what is being judged
/// @param mirrors the copies of repositories, which outlive this process
record JudgingGitDoor(EventLoopGroup loops, Path work, Path mirrors) implements Gateway.GitDoors {
    @Override
    public Opened open(
            Limits limits,
            Client upstream,
            Recorder recorder,
            UsageMeter meter,
            Proposals proposals) {
        // Its rules are read when a session that may push begins (see ApiDoors), or at first use: a
        // spare gateway, and one whose sandboxes only read, does without them.
        SecretFinder secrets = content -> SecretScanner.standard().find(content);
        Mirrors copies = new Mirrors(mirrors, limits.mirror(), upstream, loops);
        PushJudging judging =
                new PushJudging(
                        limits.push(),
                        work,
                        copies,
                        new Judge(limits.push(), secrets),
                        new Presence(upstream, recorder, loops));
        LfsDoor lfs = new LfsDoor(upstream, recorder, meter, work, secrets);
        GitDoor door =
                new GitDoor(limits.git(), upstream, recorder, meter, judging, lfs, proposals);
        Map<Figure, LongSupplier> figures =
                Map.of(
                        Figure.JUDGEMENTS, judging::judgements,
                        Figure.JUDGEMENTS_MAX, judging::judgementsMax,
                        Figure.JUDGEMENTS_WAITING, judging::waiting,
                        Figure.MIRRORS, copies::copies,
                        Figure.MIRROR_BYTES, copies::bytes,
                        Figure.MIRROR_BYTES_MAX, limits.mirror()::diskBytesTotalMax);
        return new Opened(door, door, lfs::end, figures);
    }
}
