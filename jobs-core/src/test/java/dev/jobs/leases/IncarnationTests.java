package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.Incarnation.Host;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sidekiq-6")
class IncarnationTests {

    @Test
    void anIdentityIsHostPidAndTwelveHexDigitsAndNeverTheSame() {
        Host host = new Host("vm", 9287);
        Random random = new Random(1);
        assertThat(host.newIdentity(random)).matches("vm:9287:[0-9a-f]{12}").isNotEqualTo(host.newIdentity(random));
    }

    @Test
    void aDynoHasTheNameThatItsPlatformGaveIt() throws UnknownHostException {
        assertThat(Host.name("web.1")).isEqualTo("web.1");
        String own = InetAddress.getLocalHost().getHostName();
        assertThat(Host.name("")).isEqualTo(own);
        assertThat(Host.name(null)).isEqualTo(own);
    }
}
