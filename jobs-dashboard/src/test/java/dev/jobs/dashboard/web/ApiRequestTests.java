package dev.jobs.dashboard.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.dashboard.DashboardRole;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class ApiRequestTests {

    /** As many as a page of a list has. */
    @Test
    void aWholePageMayBeSelectedAndNoMore() {
        assertThat(selected(1).texts("keys", 10)).containsExactly("k");
        assertThat(selected(200).texts("keys", 10)).hasSize(200);
        assertThatThrownBy(() -> selected(201).texts("keys", 10)).isInstanceOf(Problem.class);
        assertThatThrownBy(() -> selected(0).texts("keys", 10)).isInstanceOf(Problem.class);
    }

    private static ApiRequest selected(int count) {
        String body = "{\"keys\":[" + String.join(",", Collections.nCopies(count, "\"k\"")) + "]}";
        return ApiRequest.writing(null, DashboardRole.OPERATOR, null, "", body.getBytes(UTF_8));
    }
}
