package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LateHooksTests {

    private final List<String> told = new ArrayList<>();

    private final JobListener listener = new JobListener() {
        @Override
        public void enqueued(String name, String queue, int count, boolean scheduled) {
            told.add("enqueued " + name + queue + count + scheduled);
        }

        @Override
        public void notStored(String name, String queue, int count) {
            told.add("not stored " + name + queue + count);
        }

        @Override
        public void duplicates(String name, String queue, int count, String holder) {
            told.add("duplicates " + name + queue + count + holder);
        }

        @Override
        public void limited(String limiter, Duration waited, boolean refused) {
            told.add("limited " + limiter + waited + refused);
        }
    };

    @Test
    void listenersHearWhatClientsAndLimitersTell() {
        JobHooks late = LateHooks.of(
                () -> new JobHooks(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(listener)));

        late.tell(each -> each.enqueued("a", "q", 1, true));
        late.tell(each -> each.notStored("b", "q", 2));
        late.tell(each -> each.duplicates("c", "q", 3, "h"));
        late.tell(each -> each.limited("l", Duration.ZERO, true));

        assertThat(told).containsExactly("enqueued aq1true", "not stored bq2", "duplicates cq3h", "limited lPT0Strue");
    }
}
