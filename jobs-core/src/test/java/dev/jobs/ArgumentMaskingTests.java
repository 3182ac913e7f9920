package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentMaskingTests {

    static final class Jobs {
        @Job("charge")
        void charge(String customer, @Masked List<String> cards) {}
    }

    private static ArgumentMasking masking(ArgumentMask... masks) {
        List<JobDefinition> definitions = Arrays.stream(Jobs.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Job.class))
                .map(ArgumentMaskingTests::definition)
                .toList();
        return new ArgumentMasking(new JobRegistry(definitions), List.of(masks));
    }

    private static JobDefinition definition(Method method) {
        return JobDefinition.of(
                method.getAnnotation(Job.class),
                Jobs.class,
                method,
                List.of(method.getGenericParameterTypes()),
                arguments -> null);
    }

    private static Payload job(String text) {
        return Payload.parse(text.getBytes(UTF_8));
    }

    private static String shown(ArgumentMasking masking, String text) {
        return new String(masking.shown(job(text)).bytes(), UTF_8);
    }

    @Test
    void leavesOtherJobsByteForByte() {
        Payload job = job("{ \"class\":\"other\", \"args\":[1.0, \"4111\"] }");

        assertThat(masking().shown(job)).isSameAs(job);
    }

    @Test
    void hidesAMarkedArgumentWhereverItTurnsUp() {
        String text = "{\"class\":\"charge\",\"args\":[\"Kim\",[\"4111-1\",\"12\"]],"
                + "\"error_message\":\"Card 4111-1 of Kim, 12th\"}";

        assertThat(shown(masking(), text))
                .isEqualTo("{\"class\":\"charge\",\"args\":[\"Kim\",\"•••\"],"
                        + "\"error_message\":\"Card ••• of Kim, 12th\"}");
        assertThat(masking().shown(job(text), "no 4111-1")).isEqualTo("no •••");
    }

    @Test
    void hidesWhatPastAttemptsQuote() {
        String text = "{\"class\":\"charge\",\"args\":[\"Kim\",\"4111-1\"],\"past_attempts\":%s}";

        assertThat(shown(
                        masking(),
                        text.formatted("[{\"at\":41111,\"message\":\"Card 4111-1\"},7,{\"x\":[\"4111-1\"]}]")))
                .isEqualTo("{\"class\":\"charge\",\"args\":[\"Kim\",\"•••\"],"
                        + "\"past_attempts\":[{\"at\":41111,\"message\":\"Card •••\"},{}]}");
        assertThat(shown(masking(), text.formatted("\"4111-1\""))).doesNotContain("4111");
        assertThat(shown(masking(), text.formatted("[{\"\\ud800\":\"\\ud800 4111-1\"}]")))
                .doesNotContain("4111");
    }

    @Test
    void hidesTheArgumentsThatStandThereTwice() {
        assertThat(shown(masking(), "{\"args\":[\"a\",\"secret\"],\"class\":\"charge\",\"args\":[\"a\",\"b\"]}"))
                .doesNotContain("secret");
    }

    @Test
    void hidesAllWhereArgumentsAreOfAnotherForm() {
        assertThat(shown(masking(), "{\"class\":\"charge\",\"args\":{\"card\":\"secret\"}}"))
                .isEqualTo("{\"class\":\"charge\",\"args\":\"•••\"}");
        assertThat(shown(masking(), "{\"class\":\"charge\",\"args\":[1e99999,\"secret\"]}"))
                .doesNotContain("secret");
    }

    @Test
    void hidesWhatAMessageQuotesOfArgumentsOfAnotherForm() {
        String text = "{\"class\":\"charge\",\"args\":{\"card\":[\"secret\"]},\"error_message\":\"no secret here\"}";

        assertThat(shown(masking(), text))
                .isEqualTo("{\"class\":\"charge\",\"args\":\"•••\",\"error_message\":\"no ••• here\"}");
        assertThat(masking().shown(job(text), "a secret")).isEqualTo("a •••");
    }

    @Test
    void hidesAllArgumentsWrappedByAFramework() {
        assertThat(
                        shown(
                                masking(),
                                "{\"class\":\"Wrapper\",\"wrapped\":\"charge\",\"args\":[{\"arguments\":[\"Kim\",\"secret\"]}]}"))
                .isEqualTo("{\"class\":\"Wrapper\",\"wrapped\":\"charge\",\"args\":[\"•••\"]}");
    }

    @Test
    void asksEachMask() {
        ArgumentMask one = (name, position, argument) -> position == 0 ? "one" : argument;
        ArgumentMask two = (name, position, argument) -> "one".equals(argument) ? name : argument;

        assertThat(shown(masking(one, two), "{\"class\":\"x\",\"args\":[1,2]}"))
                .isEqualTo("{\"class\":\"x\",\"args\":[\"x\",2]}");
    }

    @Test
    void hidesArgumentsOnWhichAMaskFails() {
        ArgumentMask broken = (name, position, argument) -> {
            throw new IllegalStateException();
        };

        assertThat(shown(masking(broken), "{\"class\":\"x\",\"args\":[1]}"))
                .isEqualTo("{\"class\":\"x\",\"args\":[\"•••\"]}");
    }
}
