package dev.jobs.spring.autoconfigure.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LateValueTests {

    private final List<Object> made = new ArrayList<>();

    private final LateValue<Object> value = new LateValue<>(this::make);

    private Object make() {
        Object fresh = new Object();
        made.add(fresh);
        if (made.size() == 1) {
            assertThat(value.get()).isSameAs(made.get(1)); // somebody else is faster
        }
        return fresh;
    }

    @Test
    void theOneThatIsReadyFirstIsEverybodys() {
        assertThat(value.get()).isSameAs(made.get(1));
        assertThat(value.get()).isSameAs(made.get(1));
        assertThat(made).hasSize(2);
    }
}
