package dev.jobs.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SenderTests {

    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:1, ::1",
        "0:0:0:0:0:0:0:0, ::",
        "2001:db8:0:0:1:0:0:0, 2001:db8:0:0:1::",
        "2001:db8:0:1:0:0:0:7, 2001:db8:0:1::7",
        "fe80:0:0:0:a:b:c:d%eth0, fe80::a:b:c:d%eth0",
        "1:2:3:4:5:6:7:0, 1:2:3:4:5:6:7:0",
        "2001:db8:10:0:0f:1:2:3, 2001:db8:10:0:0f:1:2:3",
        "127.0.0.1, 127.0.0.1",
        "10.0.0.1, 10.0.0.1"
    })
    void addressesAreShownAsPeopleWriteThem(String address, String brief) {
        assertThat(Sender.brief(address)).isEqualTo(brief);
    }
}
