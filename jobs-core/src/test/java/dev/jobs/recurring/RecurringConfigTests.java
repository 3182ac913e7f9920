package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobDefinitionException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-29")
class RecurringConfigTests {

    private static RecurringConfig config(String namespace, String grace) {
        return new RecurringConfig(true, namespace, "shop", Duration.parse(grace));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.999S", "PT12H0.001S", "-PT5S"})
    void theGraceHasARange(String grace) {
        assertThatThrownBy(() -> config("default", grace))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageStartingWith("'grace' must be PT1S to PT12H but was ");
    }

    @Test
    void theEndsOfTheRangeAreInside() {
        assertThat(config("default", "PT1S").grace()).hasSeconds(1);
        assertThat(config("default", "PT12H").grace()).hasHours(12);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "*"})
    void aNamespaceIsAName(String namespace) {
        assertThatThrownBy(() -> config(namespace, "PT1M"))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessage("'namespace' must be a name but was '" + namespace + "'");
    }
}
