package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.DashboardRole;
import java.security.SecureRandom;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** On a server that isn't known, nobody gets in by where they are or what they ask for. */
class UnknownArrivalTests {

    @Test
    void isNotLocal() {
        assertThat(new LocalAccess(new LinkToken("", new SecureRandom())).roleOf(new UnknownArrival(), Set::of))
                .isEqualTo(DashboardRole.NONE);
    }

    @Test
    void asksForNoKnownHost() {
        assertThat(new KnownHosts(Set.of("localhost")).admit(new UnknownArrival()))
                .isFalse();
        assertThat(new KnownHosts(Set.of()).admit(new UnknownArrival())).isTrue();
    }
}
