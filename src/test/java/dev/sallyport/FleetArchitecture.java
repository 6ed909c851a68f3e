package dev.sallyport;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import org.junit.jupiter.api.Test;

/// Who may reach the keys of the remote tier. Part of [ArchitectureTest], which has read all
/// classes.
abstract class FleetArchitecture {
    private final JavaClasses ours;

    FleetArchitecture(JavaClasses ours) {
        this.ours = ours;
    }

    /// The exposed part may tell strangers from hosts (`SignedRequest`, `Enrolment`).
    @Test
    void theExposedPartCertifiesAndEnrolsNobody() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.sallyport.fleet..", "dev.sallyport.warden..")
                .should()
                .dependOnClassesThat(
                        name("dev.sallyport.fleet.FleetAuthority")
                                .or(name("dev.sallyport.fleet.Hosts"))
                                .or(name("dev.sallyport.fleet.Pods"))
                                .or(name("dev.sallyport.fleet.SessionBadges")))
                .because("a gateway that was taken over cannot open sessions")
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.sallyport.fleet..",
                        "dev.sallyport.warden..",
                        "dev.sallyport.host..",
                        "dev.sallyport.pod..")
                .should()
                .dependOnClassesThat(name("dev.sallyport.fleet.HostKey"))
                .because("only who has sandboxes signs")
                .check(ours);
    }

    /// ADR 40: who a pod is, the warden asks its cluster, and nobody who is exposed does.
    @Test
    void onlyTheWardenAsksAClusterAndOnlyItAndPodsAskAGateway() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.sallyport.cluster..", "dev.sallyport.warden..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sallyport.cluster..")
                .because("a gateway that was taken over cannot say who a pod is")
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.sallyport.host..", "dev.sallyport.pod..", "dev.sallyport.warden..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sallyport.host..")
                .because("only who has sandboxes asks a gateway for sessions")
                .check(ours);
        noClasses()
                .that()
                .resideInAnyPackage("dev.sallyport.pod..", "dev.sallyport.sidecar..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sallyport.warden..", "dev.sallyport.gateway..")
                .because("beside an agent there is nothing that decides or holds a secret")
                .check(ours);
    }

    @Test
    void noBodyOfARequestIsParsedHere() {
        noClasses()
                .that()
                .resideInAPackage("dev.sallyport.fleet..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty..", "com.fasterxml.jackson.."))
                .because("what a host asks for is parsed where it is done, after it was verified")
                .check(ours);
    }

    /// The other end of a remote sandbox's connections runs on another machine, next to nothing.
    @Test
    void onlyOneClassDialsTheGatewayAndTheGatewayHasNoUseForIt() {
        noClasses()
                .that()
                .resideInAPackage("dev.sallyport.carry..")
                .and()
                .haveNameNotMatching("dev\\.sallyport\\.carry\\.Line(\\$.*)?")
                .should()
                .dependOnClassesThat(
                        name("io.netty.channel.epoll.EpollSocketChannel")
                                .or(name("io.netty.bootstrap.Bootstrap")))
                .because("it connects to the gateway, whose certificate it pins, and nowhere else")
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.sallyport.carry..", "dev.sallyport.sidecar..")
                .should()
                .dependOnClassesThat(name("dev.sallyport.carry.CarryClient"))
                .because("no other process has connections to carry away")
                .check(ours);
        noClasses()
                .that()
                .resideInAPackage("dev.sallyport.carry..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sallyport.policy..",
                        "dev.sallyport.credential..",
                        "dev.sallyport.session..",
                        "dev.sallyport.upstream..",
                        "dev.sallyport.relay..")
                .because("whoever carries a connection decides nothing and holds no secret")
                .check(ours);
    }
}
