package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sidekiq-6")
class HostTests {

    @Test
    void an_identity_is_host_pid_and_twelve_hex_digits_and_never_the_same() {
        Host host = new Host("vm", 9287);
        Random random = new Random(1);
        assertThat(host.newIdentity(random)).matches("vm:9287:[0-9a-f]{12}").isNotEqualTo(host.newIdentity(random));
    }

    @Test
    void a_dyno_has_the_name_that_its_platform_gave_it() throws UnknownHostException {
        assertThat(Host.name("web.1")).isEqualTo("web.1");
        String own = InetAddress.getLocalHost().getHostName();
        assertThat(Host.name("")).isEqualTo(own);
        assertThat(Host.name(null)).isEqualTo(own);
    }
}
