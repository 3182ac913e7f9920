package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JobHooksTests {

    private static final class Mine implements JobListener {}

    private static final class Other implements JobListener {}

    @Test
    void refusesWhatIsNoKindSinceItWouldNeverBeCalled() {
        assertThatThrownBy(() -> JobHooks.none().with(Mine.class, new Mine()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("EnqueueMiddleware, JobMiddleware, RetryPolicy")
                .hasMessageContaining("JobListener")
                .hasMessageEndingWith("but was " + Mine.class.getName());
    }

    @Test
    void replacesThoseOfOneKind() {
        JobListener other = new Other();
        JobHooks hooks = JobHooks.none()
                .with(JobListener.class, List.of(new Mine(), new Mine()))
                .with(JobListener.class, other);

        assertThat(hooks.listeners()).containsExactly(other);
    }

    @Test
    void keepsToolsBesideTheKinds() {
        JobListener listener = new Mine();
        JobHooks hooks = JobHooks.none().withTool(String.class, "tool").with(JobListener.class, listener);

        assertThat(hooks.tool(String.class)).isEqualTo("tool");
        assertThat(hooks.listeners()).containsExactly(listener);
    }
}
