package dev.jobs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.assembly.RedisJobClient;
import java.text.SimpleDateFormat;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringTokenizer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedJobsIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static final class Mails {
        @Job("Mail")
        void send(String to, int visits) {}

        @Job("Ping")
        void ping() {}
    }

    record Box(Object content) {}

    record Ages(Map<Long, String> byNumber) {}

    @ParameterizedTest
    @MethodSource
    @Tag("sidekiq-0.3")
    @Tag("sidekiq-0.9")
    @Tag("sidekiq-3")
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-7.2")
    @Tag("sidekiq-7.5")
    void refusesAndStoresNothing(Consumer<RedisJobClient> call, String... words) {
        RedisJobClient client = bed.client(Mails.class);
        client.enqueue("Mail", "before", 1);
        client.in(Duration.ofDays(1)).enqueue("Mail", "before", 1);
        SortedMap<String, String> before = bed.redis.snapshot();

        assertThatThrownBy(() -> call.accept(client))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll(words)
                .message()
                .doesNotContain("\n", "..", ".;");

        assertThat(bed.redis.snapshot()).isEqualTo(before);
    }

    @Test
    void refusesAWrongQueueEachTime() {
        JobClient client = bed.client(Mails.class).with("queue", "a/b");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> client.enqueue("X"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("'queue' must be");
        }
        assertThat(bed.redis.texts().keys("queue:*")).isEmpty();
    }

    static Stream<Arguments> refusesAndStoresNothing() {
        return Stream.of(
                one(
                        "too many arguments",
                        c -> c.enqueue("Mail", "a", 1, 2),
                        "Mail",
                        "(to, visits)",
                        "takes 2",
                        "there are 3"),
                one("one argument for none", c -> c.enqueue("Ping", "a"), "Ping", "takes 0", "there is 1"),
                one(
                        "too many arguments in a payload",
                        c -> c.push(map("class", "Mail", "args", List.of(1, 2, 3))),
                        "takes 2"),
                one("NaN", c -> c.enqueue("Mail", "a", Double.NaN), "Mail", "Argument 2", "NaN"),
                one("infinity", c -> c.enqueue("X", Double.NEGATIVE_INFINITY), "X", "Argument 1"),
                one("a lone surrogate", c -> c.enqueue("X", "a\ud800"), "X", "Argument 1"),
                one("a lone surrogate as a key", c -> c.enqueue("X", Map.of("\udc00", 1)), "X", "Argument 1"),
                one("a lone surrogate as the name", c -> c.enqueue("\ud800"), "class"),
                one("an argument that contains itself", c -> c.enqueue("X", circle()), "X", "Argument 1", "nested"),
                one("99 levels in an argument", c -> c.enqueue("X", nested(99)), "X", "Argument 1", "nested"),
                one("an object without a JSON form", c -> c.enqueue("X", new Object()), "X", "Argument 1"),
                one("a stream", c -> c.enqueue("X", Stream.of(1)), "X", "Argument 1"),
                one("a thread", c -> c.enqueue("X", Thread.currentThread()), "X", "Argument 1"),
                one("a blank name", c -> c.enqueue(" "), "'class' must be"),
                one("a queue name with a space", c -> c.queue("a b"), "'queue' must be", "'a b'"),
                one("an empty queue name", c -> c.queue(""), "'queue' must be"),
                one("a queue name of 129 characters", c -> c.queue("q".repeat(129)), "'queue' must be"),
                one("a queue name with a line end", c -> c.queue("a\nb"), "'queue' must be", "'a?b'"),
                one(
                        "a queue name past the option",
                        c -> c.with("queue", "a/b").enqueue("X"),
                        "X",
                        "'queue' must be",
                        "\"a/b\""),
                one("no queue", c -> c.with("queue", null).enqueue("X"), "X", "'queue' must be", "is null"),
                one("negative retries", c -> c.retry(-2), "'retries' must be", "-2"),
                one("a map whose keys are no text", c -> c.enqueue("X", Map.of(1, 2)), "X", "keys", "Integer"),
                one("a map with a key null", c -> c.enqueue("X", Collections.singletonMap(null, 2)), "X", "key"),
                one(
                        "a map deep inside whose keys are no text",
                        c -> c.enqueue("X", List.of(new Box(Map.of(true, 2)))),
                        "X",
                        "[0].content",
                        "keys",
                        "Boolean"),
                one(
                        "a declared map whose keys are no text",
                        c -> c.enqueue("X", new Ages(Map.of(7L, "old"))),
                        "X",
                        "byNumber",
                        "keys"),
                one("a key that is an object", c -> c.enqueue("X", Map.of(new Box(1), 2)), "X", "keys", "Box"),
                one(
                        "such a map in a payload",
                        c -> c.push(map("class", "X", "args", List.of(Map.of(1, 2)))),
                        "X",
                        "keys"),
                one(
                        "such a map in bulk",
                        c -> c.enqueueAll("X", List.of(List.of(Map.of(1, 2)))),
                        "X",
                        "keys",
                        "element 1"),
                one(
                        "an object of the JDK that is no value",
                        c -> c.enqueue("X", new SimpleDateFormat("yyyy", Locale.ROOT)),
                        "X",
                        "java.text.SimpleDateFormat",
                        "JDK"),
                one(
                        "such an object inside another",
                        c -> c.enqueue("X", Map.of("box", new Box(new StringTokenizer("a b")))),
                        "X",
                        "box.content",
                        "StringTokenizer"),
                one("1,001 retries", c -> c.retry(1_001), "'retries' must be", "1001"),
                one("expired from the start", c -> c.expiresIn(Duration.ZERO), "'expiresIn' must be", "PT0S"),
                one("never expired", c -> c.expiresIn(Duration.ofDays(20_000)), "'expiresIn' must be"),
                one("expires_in as text", c -> c.with("expires_in", "1h").enqueue("X"), "'expires_in' must be", "1h"),
                one(
                        "timed out from the start",
                        c -> c.timeout(Duration.ofMillis(-1)),
                        "'timeout' must be",
                        "PT-0.001S"),
                one("timeout as text", c -> c.with("timeout", "soon").enqueue("X"), "'timeout' must be", "soon"),
                one("timeout_retry as text", c -> c.with("timeout_retry", "no").enqueue("X"), "true or false", "no"),
                one("no tag", c -> c.tags("a", null), "'tags' must be"),
                one(
                        "a tag that is not a text",
                        c -> c.with("tags", List.of(1)).enqueue("X"),
                        "X",
                        "'tags' must be",
                        "[1]"),
                one("tags as text", c -> c.with("tags", "a").enqueue("X"), "X", "'tags' must be", "\"a\""),
                one("an option without a JSON form", c -> c.with("own", new Object()), "own"),
                one("an option of NaN", c -> c.with("own", List.of(Float.NaN)), "own[0]"),
                one(
                        "retry_for above its limit",
                        c -> c.with("retry_for", 1_000_000_001).enqueue("X"),
                        "X",
                        "'retry_for' must be"),
                one(
                        "retry_for a little above its limit",
                        c -> c.with("retry_for", 1e9 + 0.5).enqueue("X"),
                        "'retry_for' must be"),
                one("a negative retry_for", c -> c.with("retry_for", -1).enqueue("X"), "'retry_for' must be"),
                one("retry_for as text", c -> c.with("retry_for", "60").enqueue("X"), "'retry_for' must be", "\"60\""),
                one(
                        "a log level that Ruby doesn't know",
                        c -> c.with("log_level", "verbose").enqueue("X"),
                        "X",
                        "'log_level' must be",
                        "\"verbose\""),
                one("a log level that is none", c -> c.with("log_level", true).enqueue("X"), "'log_level' must be"),
                one("a context as text", c -> c.with("cattr", "tenant").enqueue("X"), "X", "'cattr' must be"),
                one("the class as an option", c -> c.with("class", "Y"), "'class'"),
                one("args as an option", c -> c.with("args", List.of()), "'args'"),
                one("a jid as an option", c -> c.with("jid", "1"), "'jid'"),
                one("a creation time as an option", c -> c.with("created_at", 1), "'created_at'"),
                one("an enqueueing time as an option", c -> c.with("enqueued_at", 1), "'enqueued_at'"),
                one("a due time as an option", c -> c.with("at", 1), "'at'", "at(…)"),
                one(
                        "a delay beyond all times",
                        c -> c.in(Duration.ofSeconds(Long.MAX_VALUE)).enqueue("X"),
                        "'delay'"),
                one("a payload without class", c -> c.push(map("args", List.of())), "'class' must be"),
                one(
                        "a payload whose class is not a text",
                        c -> c.push(map("class", 5, "args", List.of())),
                        "'class' must be"),
                one("a payload without args", c -> c.push(map("class", "X")), "X", "'args' must be"),
                one(
                        "a payload whose args are text",
                        c -> c.push(map("class", "X", "args", "a")),
                        "X",
                        "'args' must be"),
                one(
                        "a payload whose args are a map",
                        c -> c.push(map("class", "X", "args", Map.of())),
                        "X",
                        "'args' must be"),
                one(
                        "a payload with at as text",
                        c -> c.push(map("class", "X", "args", List.of(), "at", "60")),
                        "X",
                        "'at' must be"),
                one(
                        "a payload with at null",
                        c -> c.push(map("class", "X", "args", List.of(), "at", null)),
                        "X",
                        "'at' must be"),
                one(
                        "a payload with at NaN",
                        c -> c.push(map("class", "X", "args", List.of(), "at", Double.NaN)),
                        "X",
                        "at"),
                one(
                        "a payload with an empty queue",
                        c -> c.push(map("class", "X", "args", List.of(), "queue", "")),
                        "X",
                        "'queue' must be"),
                one(
                        "a payload with no queue",
                        c -> c.push(map("class", "X", "args", List.of(), "queue", null)),
                        "X",
                        "'queue' must be"),
                one(
                        "a payload whose jid is a number",
                        c -> c.push(map("class", "X", "args", List.of(), "jid", 5)),
                        "X",
                        "'jid' must be"),
                one(
                        "a payload whose jid is empty",
                        c -> c.push(map("class", "X", "args", List.of(), "jid", "")),
                        "X",
                        "'jid' must be"),
                one(
                        "a payload created at a text",
                        c -> c.push(map("class", "X", "args", List.of(), "created_at", "now")),
                        "'created_at' must be"),
                one(
                        "a payload with an unwritable member",
                        c -> c.push(map("class", "X", "args", List.of(), "own", Map.of("k", new Object()))),
                        "X",
                        "own.k"),
                one(
                        "a payload with an unnamed member",
                        c -> c.push(map("class", "X", "args", List.of(), null, 1)),
                        "X",
                        "without a name"),
                one(
                        "a list of arguments that is null in bulk",
                        c -> c.enqueueAll("X", Collections.singletonList(null)),
                        "X",
                        "element 1"),
                one(
                        "too many arguments in bulk",
                        c -> c.enqueueAll("Mail", List.of(List.of("a"), List.of(1, 2, 3))),
                        "Mail",
                        "element 2",
                        "0 had been stored"));
    }

    private static Arguments one(String what, Consumer<RedisJobClient> call, String... words) {
        return argumentSet(what, call, words);
    }

    private static Map<String, Object> map(Object... namesAndValues) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    private static List<Object> circle() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        return list;
    }

    private static Object nested(int levels) {
        Object value = 1;
        for (int i = 0; i < levels; i++) {
            value = Arrays.asList(value);
        }
        return value;
    }

    @Test
    @Tag("sidekiq-0.9")
    @Tag("sidekiq-3")
    void takesAnArgumentOf98Levels() {
        bed.client().enqueue("X", nested(98));

        assertThat(bed.queue("default")).hasSize(1);
    }

    @Test
    void countsThePayloadsLimitInTheBytesThatAreStored() {
        RedisJobClient client = bed.client(
                bed.redis.connections(""),
                JobHooks.none(),
                new ClientConfig(1_000, 10),
                Clock.fixed(Instant.ofEpochMilli(1_795_237_556_186L), ZoneOffset.UTC));
        client.enqueue("X", "");
        int rest = 1_000 - bed.queue("default").get(0).length();
        client.enqueue("X", "é".repeat(rest / 2) + "a".repeat(rest % 2));
        SortedMap<String, String> before = bed.redis.snapshot();

        assertThat(bed.queue("default").get(1).getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .hasSize(1_000);
        assertThatThrownBy(() -> client.enqueue("X", "a".repeat(rest + 1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("X", "1,001 bytes", "1,000");
        assertThatThrownBy(() -> client.in(Duration.ofDays(1)).enqueue("X", "a".repeat(rest + 40)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("X", "bytes", "1,000");
        assertThat(bed.redis.snapshot()).isEqualTo(before);
    }
}
