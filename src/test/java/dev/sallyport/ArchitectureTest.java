package dev.sallyport;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.sallyport.policy.Permit;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// The boundaries between packages. Each rule says why it is there; whoever must break one changes
/// the reason first. `demo` plays the outside world and may do what the outside world does.
class ArchitectureTest {
    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.sallyport");

    private static final String[] DOORS = {"git", "dns", "egress", "forge", "ingress"};

    @Nested
    class OfTheFleet extends FleetArchitecture {
        OfTheFleet() {
            super(OURS);
        }
    }

    @Test
    void seesAllPackages() {
        assertThat(OURS.contain(dev.sallyport.policy.Policy.class)).isTrue();
        assertThat(OURS.contain(ArchitectureTest.class)).isFalse();
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.sallyport.(*)..")
                .should()
                .beFreeOfCycles()
                .because("a package can be read, tested and trusted only if it ends somewhere")
                .check(OURS);
    }

    @Test
    void policyKnowsTheJdkOnly() {
        classes()
                .that()
                .resideInAPackage("dev.sallyport.policy")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java.lang..",
                        "java.util..",
                        "java.nio.charset",
                        "java.security",
                        "java.text",
                        "org.jspecify..",
                        "dev.sallyport.policy")
                .because("what decides must be a pure function: no I/O, no library to trust")
                .check(OURS);
    }

    @Test
    void searchKnowsTheJdkOnly() {
        classes()
                .that()
                .resideInAPackage("dev.sallyport.search")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "dev.sallyport.search")
                .because("it serves the guard of secrets and the judge, which share nothing else")
                .check(OURS);
    }

    @Test
    void doorsDoNotKnowEachOther() {
        for (String door : DOORS) {
            for (String other : DOORS) {
                if (!door.equals(other)) {
                    noClasses()
                            .that()
                            .resideInAPackage("dev.sallyport." + door + "..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage("dev.sallyport." + other + "..")
                            .because("doors agree through the policy, never behind its back")
                            .allowEmptyShould(true)
                            .check(OURS);
                }
            }
        }
    }

    @Test
    void onlyUpstreamConnectsToTheNetwork() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.sallyport.upstream..",
                        "dev.sallyport.ingress..",
                        "dev.sallyport.carry..",
                        "dev.sallyport.demo..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.net.http..", "javax.net.ssl..")
                                .or(name("java.net.Socket"))
                                .or(name("java.net.DatagramSocket"))
                                .or(name("java.net.URLConnection"))
                                .or(name("java.net.HttpURLConnection"))
                                .or(name("io.netty.channel.epoll.EpollSocketChannel"))
                                .or(name("io.netty.channel.socket.nio.NioSocketChannel"))
                                .or(name("io.netty.resolver.dns.DnsNameResolver")))
                .because("there is one way out, and it asks for a Permit and checks the address")
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage("dev.sallyport.ingress..")
                .should()
                .callConstructor(EpollSocketChannel.class)
                .orShould()
                .dependOnClassesThat(name("io.netty.bootstrap.Bootstrap"))
                .because("it connects only what was made in a sandbox's namespace and handed over")
                .check(OURS);
    }

    @Test
    void onlyTheWardensSideBinds() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.sallyport.porter..",
                        "dev.sallyport.warden..",
                        "dev.sallyport.channel..",
                        "dev.sallyport.gatehouse..",
                        "dev.sallyport.page..",
                        "dev.sallyport.demo..")
                .should()
                .callMethodWhere(
                        target(name("bind"))
                                .and(
                                        target(
                                                owner(
                                                        resideInAnyPackage(
                                                                "io.netty..",
                                                                "java.net..",
                                                                "java.nio.channels..")))))
                .because(
                        "identity is the socket: a listener that the porter did not open has no owner;"
                                + " channel binds in the warden, gatehouse and page are no sandbox's")
                .check(OURS);
    }

    @Test
    void thePowerfulPartParsesNothingThatASandboxSent() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.sallyport.warden..",
                        "dev.sallyport.sandbox..",
                        "dev.sallyport.porter..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sallyport.http..",
                        "dev.sallyport.git..",
                        "dev.sallyport.lfs..",
                        "dev.sallyport.dns..",
                        "dev.sallyport.egress..",
                        "dev.sallyport.ingress..",
                        "dev.sallyport.forge..",
                        "dev.sallyport.push..",
                        "dev.sallyport.mirror..",
                        "dev.sallyport.relay..",
                        "dev.sallyport.upstream..",
                        "dev.sallyport.gateway..",
                        "dev.sallyport.carry..",
                        "io.netty.handler.codec.dns..")
                .because("the exposed part is not the powerful part")
                .check(OURS);
    }

    @Test
    void onlyWhoConfinesOrEntersMakesSystemCallsByNumber() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.sallyport.confine..",
                        "dev.sallyport.porter..",
                        "dev.sallyport.sandbox..")
                .should()
                .dependOnClassesThat(name("dev.sallyport.confine.Kernel"))
                .because("a wrong number or argument does to the machine what nobody checks")
                .check(OURS);
    }

    /// ADR 23: whoever parses a sandbox's bytes does not sign; and whoever signs parses none.
    @Test
    void theWardenAsksTheNetworkForTokensOfAnAppThroughOnePackage() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.sallyport.mint..", "dev.sallyport.warden..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sallyport.mint..")
                .because("only the warden has tokens minted")
                .check(OURS);
        classes()
                .that()
                .resideInAPackage("dev.sallyport.mint..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(
                                        "java.lang..",
                                        "java.time..",
                                        "java.util..",
                                        "java.nio.charset",
                                        "org.jspecify..",
                                        "dev.sallyport.mint..",
                                        "dev.sallyport.upstream..",
                                        "dev.sallyport.credential..",
                                        "dev.sallyport.config..",
                                        "dev.sallyport.policy..")
                                .or(name("dev.sallyport.http.BodyFraming"))
                                .or(name("dev.sallyport.http.BodyFraming$None"))
                                .or(name("dev.sallyport.http.BodyFraming$Sized"))
                                .or(name("io.netty.channel.EventLoop"))
                                .or(name("byte[]")))
                .because("it goes the one way out, and meets nothing of a sandbox's")
                .check(OURS);
    }

    /// ADR 33 and 35: heads of the record, questions and figures go out by the one way, and nothing
    /// comes back.
    @Test
    void whatTheWardenTellsGoesThroughOnePackage() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sallyport.[post|witness|host|warden]..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sallyport.post..", "dev.sallyport.witness..")
                .because("only the warden, and a pod that has none, has something to tell")
                .check(OURS);
        noClasses()
                .that()
                .resideInAnyPackage("dev.sallyport.post..", "dev.sallyport.witness..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("dev.sallyport.git..", "dev.sallyport.egress..")
                                .or(name("dev.sallyport.credential.Secret"))
                                .or(name("dev.sallyport.config.SecretFiles")))
                .because("who is told something gets no secret")
                .check(OURS);
    }

    @Test
    void onlyFiguresKnowTheLibraryThatShowsThem() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sallyport.metrics..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..", "io.prometheus..")
                .because("it is loaded only when somebody asks for figures")
                .check(OURS);
    }

    @Test
    void theExposedPartCannotReachARuntimeOrTheStore() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.sallyport.gateway..",
                        "dev.sallyport.http..",
                        "dev.sallyport.git..",
                        "dev.sallyport.lfs..",
                        "dev.sallyport.dns..",
                        "dev.sallyport.egress..",
                        "dev.sallyport.ingress..",
                        "dev.sallyport.forge..",
                        "dev.sallyport.push..",
                        "dev.sallyport.mirror..",
                        "dev.sallyport.relay..",
                        "dev.sallyport.carry..",
                        "dev.sallyport.upstream..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                        "dev.sallyport.sandbox..",
                                        "dev.sallyport.porter..",
                                        "dev.sallyport.warden..",
                                        "dev.sallyport.control..",
                                        "com.github.dockerjava..",
                                        "org.sqlite..",
                                        "org.postgresql..")
                                .or(name("dev.sallyport.session.SqliteSessionStore"))
                                .or(name("dev.sallyport.session.PostgresSessionStore"))
                                .or(name("dev.sallyport.audit.AuditLog"))
                                .or(name("dev.sallyport.config.SecretFiles"))
                                .or(name("dev.sallyport.credential.AppKey"))
                                .or(name("java.lang.ProcessBuilder")))
                .because("whoever takes over the gateway finds nothing to go on with")
                .check(OURS);
    }

    @Test
    void onlyTheDockerRuntimeKnowsDocker() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sallyport.sandbox.docker..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.github.dockerjava..")
                .because("the engine's socket is root on the host; one package holds it")
                .check(OURS);
    }

    @Test
    void aCredentialIsWrittenOnlyWithAPermit() {
        codeUnits()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage("dev.sallyport.credential..")
                .and(takes(HttpHeaders.class).or(takes(HttpRequest.class)))
                .should(take(Permit.class))
                .because("the type is the proof that the policy allowed this request")
                .check(OURS);
    }

    @Test
    void nothingIsAskedUpstreamWithoutAPermit() {
        classes()
                .that()
                .haveNameMatching(
                        "dev\\.sallyport\\.upstream\\.(UpstreamRequest|(Web|Api|Download|Lfs)Order)")
                .should()
                .dependOnClassesThat(assignableTo(Permit.class))
                .because("the type is the proof that the policy allowed this request")
                .check(OURS);
    }

    @Test
    void onlyTheCommandLinePrints() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sallyport.cli..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .because("what a person reads is decided in one place; daemons log")
                .check(OURS);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.sallyport.policy.GitService")
                .should()
                .haveNameMatching(
                        ".*[.$](Abstract\\w*|\\w*(Manager|Helper|Utils?|Impl|Base|Service))")
                .because(
                        "such a name fits anything; `service` in GitService is a word of git's own")
                .check(OURS);
    }

    private static DescribedPredicate<JavaCodeUnit> takes(Class<?> type) {
        return DescribedPredicate.describe(
                "take " + type.getSimpleName(),
                unit -> unit.getRawParameterTypes().stream().anyMatch(t -> t.isAssignableTo(type)));
    }

    private static ArchCondition<JavaCodeUnit> take(Class<?> type) {
        return new ArchCondition<>("take a " + type.getSimpleName()) {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                boolean holds = takes(type).test(unit);
                events.add(new SimpleConditionEvent(unit, holds, unit.getFullName()));
            }
        };
    }
}
