package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.credential.Authority;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// When the memory of a context is given back: not while somebody uses it, and not later.
final class ServerContextsTest {
    private static final SessionId SESSION = SessionId.random();

    private final List<EgressRule> rules =
            List.of(EgressRig.inspectedRule("*.example.com", "127.0.0.1:9"));
    private final Policy policy = new Policy(SESSION, List.of(), new Egress(rules, false));
    private final ServerContexts contexts =
            new ServerContexts(
                    Authority.create(
                            SESSION,
                            policy.inspectedHosts(),
                            Instant.now().plus(Duration.ofDays(1))));

    @BeforeEach
    void needsOpenSsl() {
        assertThat(OpenSsl.isAvailable()).as("native TLS").isTrue();
    }

    private SslContext of(String label) {
        return switch (policy.decide(new HostName(label + ".example.com"), 443)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> contexts.of(permit);
            case Decision.Deny<EgressPermit>(var refusal) -> throw new AssertionError(refusal);
        };
    }

    private void pushOut() {
        for (int i = 0; i < ServerContexts.KEPT_MAX; i++) {
            ReferenceCountUtil.release(of("h" + i));
        }
    }

    @Test
    void whatIsPushedOutIsFreedWhenItsLastConnectionEnds() {
        SslContext context = of("first");
        SSLEngine engine = context.newEngine(ByteBufAllocator.DEFAULT);
        ReferenceCountUtil.release(context);
        pushOut();
        assertThat(ReferenceCountUtil.refCnt(context)).as("the engine uses it").isEqualTo(1);
        assertThat(engine.getSupportedProtocols()).contains("TLSv1.3");
        ReferenceCountUtil.release(engine);
        assertThat(ReferenceCountUtil.refCnt(context)).isZero();
    }

    @Test
    void whatIsKeptIsUsedAgain() {
        SslContext context = of("first");
        assertThat(of("first")).isSameAs(context);
        ReferenceCountUtil.release(context, 2);
        assertThat(ReferenceCountUtil.refCnt(context)).as("it is kept").isEqualTo(1);
    }

    @Test
    void theEndOfTheSessionFreesAllAndGivesNoMore() {
        SslContext context = of("first");
        ReferenceCountUtil.release(context);
        contexts.close();
        assertThat(ReferenceCountUtil.refCnt(context)).isZero();
        assertThatThrownBy(() -> of("first")).isInstanceOf(IllegalStateException.class);
    }
}
