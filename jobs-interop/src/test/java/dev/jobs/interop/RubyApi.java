package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Payload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sidekiq's own client and data API, in a Ruby process that runs {@code api.rb}. */
final class RubyApi implements AutoCloseable {

    private final RubyProcess process;

    RubyApi(Ruby ruby, Path log, Map<String, String> environment) {
        this(ruby, log, environment, "api.rb");
    }

    /** @param script one that ends with {@code api.rb} */
    RubyApi(Ruby ruby, Path log, Map<String, String> environment, String script) {
        process = ruby.start(log, environment, Ruby.SCRIPTS.resolve(script).toString());
    }

    /** Runs a command of the script. Returns its answer in the form of {@link Payload#get}. */
    synchronized @Nullable Object call(String command, @Nullable Object... arguments) {
        List<@Nullable Object> line = new ArrayList<>(List.of(command));
        line.addAll(Arrays.asList(arguments));
        // encoded as the only member of an object and extracted again, since there is no writer for arrays
        process.tell(Objects.requireNonNull(Payload.of(Map.of("line", line)).raw("line")));
        Payload answer = Payload.parse(process.hear().getBytes(UTF_8));
        if (answer.has("error")) {
            throw new AssertionError(command + ": " + answer.text("error"));
        }
        return answer.get("ok");
    }

    /** Pushes a job through its class. Returns its id. */
    String enqueue(String queue, String name, @Nullable Object... arguments) {
        return String.valueOf(call("perform_async", concat(List.of(queue, name), arguments)));
    }

    /** Schedules a job through its class. Returns its id. */
    String enqueueIn(double seconds, String queue, String name, @Nullable Object... arguments) {
        return String.valueOf(call("perform_in", concat(List.of(queue, name, seconds), arguments)));
    }

    /** Runs a command whose answer is an object. */
    @SuppressWarnings("unchecked")
    Map<String, @Nullable Object> object(String command, @Nullable Object... arguments) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(call(command, arguments));
    }

    /** Runs a command whose answer is an array of objects. */
    @SuppressWarnings("unchecked")
    List<Map<String, @Nullable Object>> objects(String command, @Nullable Object... arguments) {
        return (List<Map<String, @Nullable Object>>) Objects.requireNonNull(call(command, arguments));
    }

    /** The ids of the jobs in a command's answer. */
    List<@Nullable Object> jids(String command, @Nullable Object... arguments) {
        return objects(command, arguments).stream().map(job -> job.get("jid")).toList();
    }

    private static @Nullable Object[] concat(List<Object> first, @Nullable Object[] rest) {
        List<@Nullable Object> all = new ArrayList<>(first);
        all.addAll(Arrays.asList(rest));
        return all.toArray();
    }

    @Override
    public void close() {
        process.close();
    }
}
