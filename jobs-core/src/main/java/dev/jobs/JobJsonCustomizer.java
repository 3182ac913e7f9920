package dev.jobs;

import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Changes how arguments and results become JSON: adds modules, serializers, mix-ins or a naming strategy. A bean in a
 * Spring application, else {@link JobRegistry#of(JobJsonCustomizer, Object...)}.
 *
 * <p>Every application that enqueues, runs or shows a job needs the same customizers, and jobs that wait were written
 * with the former ones.
 *
 * <p>What keeps values as they are is applied afterwards: nothing is rounded or converted, times and decimals are text,
 * unknown members are ignored, and what would arrive as another value is refused. Texts, numbers and booleans that are
 * arguments themselves are written and read without Jackson. Called once or a few times, while the application starts.
 */
@FunctionalInterface
public interface JobJsonCustomizer extends Consumer<JsonMapper.Builder> {

    /**
     * Changes the mapper.
     *
     * @param mapper may not get default typing, by which text would name classes to load: the start fails
     */
    void customize(JsonMapper.Builder mapper);

    @Override
    default void accept(JsonMapper.Builder mapper) {
        customize(mapper);
    }
}
