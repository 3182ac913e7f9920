package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ends.JobTimeoutException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentMaskingTests {

    static final class Jobs {
        @Job("charge")
        void charge(String customer, @Masked List<String> cards) {}

        @Job("pension")
        void pension(int years, @Masked(dropTexts = true) String heir) {}

        @Job("pay")
        void pay(@Masked Card card) {}

        @Job("invite")
        void invite(@Masked Map<String, Integer> ages) {}
    }

    record Card(String number, Map<String, String> owners, Optional<Card> other) {}

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
        String text =
                "{\"class\":\"charge\",\"args\":[\"Kim\",[\"4111-1\"]]," + "\"error_message\":\"Card 4111-1 of Kim\"}";

        assertThat(shown(masking(), text))
                .isEqualTo(
                        "{\"class\":\"charge\",\"args\":[\"Kim\",\"•••\"]," + "\"error_message\":\"Card ••• of Kim\"}");
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

    /** A text about a job with one hidden argument. */
    private static String about(String secret, String text) {
        Payload job = Payload.of(Map.of("class", "charge", "args", List.of("Kim", List.of(secret))));
        return masking().shown(job, text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    # case, and what stands between the words
                    sesame-street | no SESAME-STREET here | no ••• here
                    sesame-street | no sesame_street here | no ••• here
                    sesame-street | no sesameStreet here | no ••• here
                    sesame-street | no "Sesame Street" here | no "•••" here
                    sesameStreet | no SESAME_STREET here | no ••• here
                    # the spelling of umlauts and accents
                    Müller | no Mueller here | no ••• here
                    Müller | no MULLER here | no ••• here
                    Mueller | no müller here | no ••• here
                    Weiß | no weiss here | no ••• here
                    Zoë | no zoe here | •••
                    Renée | no renee here | no ••• here
                    # escapes
                    a/b c&d | x=a%2Fb%20c%26d&y=1 | x=•••&y=1
                    a/b c&d | x=a%2fb+c%26d&y=1 | x=•••&y=1
                    a/b c&d | a/b c&amp;d; | •••;
                    Müller | M%C3%BCller! | •••!
                    Müller | M\\u00fcller! | •••!
                    Müller | M&uuml;ller and M&#252;ller and M&#xFC;ller | ••• and ••• and •••
                    s3cret | user:s3cret as Basic dXNlcjpzM2NyZXQ= | user:••• as Basic •••
                    s3cret | Bearer x.InMzY3JldCI. | Bearer x.•••.
                    # groups of digits
                    4111111111111111 | card 4111 1111 1111 1111! | card •••!
                    4111111111111111 | card 4111-1111-1111-1111! | card •••!
                    4111111111111111 | card 4111 1111-1111 1111! | card •••!
                    4111111111111111 | card 4111.1111/1111_1111! | card •••!
                    4111 1111 1111 1111 | card 4111-1111-1111-1111! | card •••!
                    1234567 | 1,234,567 or 1'234'567 | ••• or •••
                    # what is left of one where the text was cut
                    4111111111111111 | for the card 4111 11 | for the card •••
                    sesame-street | no Sesame_St… | no •••…
                    # what is left alone
                    sesame-street | sesame and so on | sesame and so on
                    sesame-street | no sesame, no street | no sesame, no street
                    s3cret | dXNlcjpzM2NyZX is cut off | dXNlcjpzM2NyZX is cut off
                    """)
    void hidesOtherSpellings(String secret, String text, String shown) {
        assertThat(about(secret, text)).isEqualTo(shown);
    }

    @Test
    void hidesAnAccentThatIsACharacterOfItsOwn() {
        assertThat(about("Mu\u0308ller", "no M\u00fcller")).isEqualTo("no •••");
        assertThat(about("M\u00fcller", "no Mu\u0308ller!")).isEqualTo("no •••!");
    }

    /** What is around it would tell what it is. */
    @ParameterizedTest
    @CsvSource({
        "737, The code 737 is wrong, •••",
        "737, code=737, •••",
        "737, at 17374, at 17374",
        "737, code 7-3-7, •••",
        "737, the code 7 3 7!, •••",
        "737, at 17-3-74, at 17-3-74",
        "a7x, A-7-X, •••",
        "737, Basic dXNlcjo3Mzc=, Basic •••",
        "737, code 0737, •••",
        "042, code 42, •••",
        "0042, the PIN 42 is wrong, •••",
        "0042, the PIN 0042 is wrong, •••",
        "0042, at 1042, at 1042",
        "12, on the 12th, •••",
        "x, no x here, •••",
        "x, no exit here, no exit here",
        "Ü, no ue here, •••"
    })
    void hidesTheWholeOfATextWithAShortOne(String secret, String text, String shown) {
        assertThat(about(secret, text)).isEqualTo(shown);
    }

    /** Digits of a number are often filled up, and those of a code often read as a number. */
    @ParameterizedTest
    @CsvSource({
        "42, PIN 0042 is wrong, •••",
        "4711, PIN 004711!, PIN 00•••!",
        "0, no 000 here, •••",
        "0, at 100, at 100"
    })
    void hidesANumberWithZerosBeforeIt(long secret, String text, String shown) {
        Payload job = Payload.of(Map.of("class", "charge", "args", List.of("Kim", secret)));

        assertThat(masking().shown(job, text)).isEqualTo(shown);
    }

    @Test
    void dropsAllTextsIfAMaskedParameterSaysSo() {
        Payload job = job("{\"class\":\"pension\",\"args\":[5,\"Kimberly\"],\"tags\":[\"vip\"]}");
        Throwable failure = new IllegalStateException("the aunt of K.");

        assertThat(masking().shown(job, "the aunt of K.")).isEqualTo(ArgumentMasking.HIDDEN);
        assertThat(masking().message(job, failure)).isEqualTo(ArgumentMasking.HIDDEN);
        assertThat(masking().shown(job, failure)).hasToString("java.lang.IllegalStateException: •••");
        assertThat(masking()
                        .stored(job.with("error_message", "the aunt of K."), failure)
                        .text("error_message"))
                .isEqualTo(ArgumentMasking.HIDDEN);
        assertThat(masking().shownLabel(job, "Kimberly 1")).isEqualTo("••• 1");
        Payload other = job("{\"class\":\"charge\",\"args\":[5,\"Kim\"],\"error_message\":\"the aunt of K.\"}");
        assertThat(masking().stored(other, failure)).isSameAs(other);
        assertThat(masking().message(other, failure)).isEqualTo("the aunt of K.");
    }

    @Test
    void dropsAllButWhatTheLibrarySaysItself() {
        Payload job = job("{\"class\":\"pension\",\"args\":[5,\"Kim\"]}");
        Throwable failure = SealedArgumentsException.withoutKey(job, new IllegalStateException("no route"));

        assertThat(masking().message(job, failure)).contains("are encrypted with the key");
        assertThat(masking().shown(job, failure)).isSameAs(failure);
        Throwable timeout = new JobTimeoutException(
                "took too long", Duration.ofSeconds(1), new StackTraceElement[0], new IOException("Kim"));
        assertThat(masking().shown(job, timeout))
                .hasToString("dev.jobs.ends.JobTimeoutException: took too long")
                .hasMessageNotContaining("Kim")
                .cause()
                .hasToString("java.io.IOException: •••");
    }

    @Test
    void showsTheKeyInPlaceOfEncryptedArguments() {
        String text = "{\"class\":\"other\",\"args\":[\"c2VjcmV0\"],\"encrypted\":{\"v\":1,\"kid\":\"2026\"},"
                + "\"tags\":[\"vip\"],\"unique_lock\":\"abc\",\"error_message\":\"•••\"}";

        assertThat(shown(masking(), text))
                .contains("\"args\":[\"encrypted (key 2026)\"]", "\"tags\":[\"vip\"]", "\"unique_lock\":\"•••\"")
                .doesNotContain("c2VjcmV0");
        assertThat(masking().mayHide(job(text))).isTrue();
        assertThat(masking().shown(job(text), "anything")).isEqualTo(ArgumentMasking.HIDDEN);
        assertThat(masking().shownLabel(job(text), "vip")).isEqualTo("vip");
    }

    /** Naive searches would take hours. */
    @Test
    @Timeout(60)
    void looksForSecretsThatRepeatThemselves() {
        String text = "a".repeat(60_000);

        assertThat(about("a".repeat(500_000) + "b", text)).isEqualTo("•••");
        assertThat(about("a".repeat(30_000) + "b", text)).isEqualTo("a".repeat(30_000) + "•••");
        assertThat(about("aaaa", text + "b")).isEqualTo("•••b");
        assertThat(about("abab", "x ababab y")).isEqualTo("x ••• y");
        assertThat(about("aabaaac", "aabaabaaac!")).isEqualTo("aab•••!");
        assertThat(about("s3cret", "x".repeat(70_000))).isEqualTo("•••");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0301", "\uFE0F", "\u0301\u0301\u0301\u0301"})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void marksWithoutALetterAreNothingToLookFor(String mark) {
        Payload job = job("{\"class\":\"charge\",\"args\":[\"Kim\",[\"" + mark + "\"]]}");

        assertThat(masking().shown(job, "404")).isEqualTo("404");
        assertThat(masking().shown(job, "abc")).isEqualTo("abc");
    }

    @Test
    void hidesTruthValues() {
        Payload job = Payload.of(Map.of("class", "charge", "args", List.of("Kim", true)));

        assertThat(masking().shown(job, "insured: true")).isEqualTo("insured: •••");
    }

    @Test
    void hidesKeysOfMapsAndNotTheNamesOfMembers() {
        Payload pay = job("{\"class\":\"pay\",\"args\":[{\"number\":\"4111\",\"owners\":{\"ada@example\":\"Ada L.\"},"
                + "\"other\":{\"number\":\"4222\"}}]}");
        Payload invite = job("{\"class\":\"invite\",\"args\":[{\"ada@example\":1815}]}");
        Payload foreign = job("{\"class\":\"other\",\"args\":[{\"ada@example\":{\"born\":1815}}]}");

        assertThat(masking().shown(pay, "number 4111 of ada@example, Ada L., owners: number 4222"))
                .isEqualTo("number ••• of •••, •••, owners: number •••");
        assertThat(masking().shown(invite, "ada@example is from 1815")).isEqualTo("••• is from •••");
        assertThat(masking((name, position, argument) -> ArgumentMasking.HIDDEN)
                        .shown(foreign, "ada@example is born 1815"))
                .isEqualTo("••• is ••• •••");
    }

    @Test
    void takesForHiddenOnlyWhatAMaskHides() {
        ArgumentMask card = (name, position, argument) -> Map.of("name", "Kim", "card", ArgumentMasking.HIDDEN);

        assertThat(masking(card)
                        .shown(
                                job("{\"class\":\"other\",\"args\":[{\"name\":\"Kim\",\"card\":\"4111\"}]}"),
                                "card 4111 of Kim (name)"))
                .isEqualTo("card ••• of Kim (name)");
    }

    @Test
    void hidesDigestsAndWhatOtherMembersQuote() {
        String text = shown(
                masking(),
                "{\"class\":\"charge\",\"jid\":\"1\",\"queue\":\"cards\",\"args\":[\"Kim\",\"4111-1\"],\"unique_lock\":\"abc\","
                        + "\"lock_digest\":\"abc\",\"lock_args\":[\"Kim\",\"4111-1\"],\"tags\":[\"card:41111\",\"vip\"],"
                        + "\"cattr\":{\"4111-1\":{\"is\":\"of 4111-1\",\"n\":41111}},\"retry_count\":3,\"error_class\":\"E\"}");

        assertThat(text)
                .doesNotContain("4111", "abc")
                .contains(
                        "\"queue\":\"cards\"",
                        "\"lock_args\":[\"Kim\",\"•••\"]",
                        "\"tags\":[\"card:•••\",\"vip\"]",
                        "\"retry_count\":3");
    }

    @Test
    void hidesEveryTextIfThereIsTooMuchToLookFor() {
        String many = IntStream.range(1_000, 1_200)
                .mapToObj(i -> "\"card-" + i + "\"")
                .collect(Collectors.joining(","));
        Payload job = job("{\"class\":\"charge\",\"args\":[\"Kim\",[" + many + "]]}");

        assertThat(masking().shown(job, "no card-1199")).isEqualTo("•••");
    }

    @Test
    void hidesAllThatMayQuoteWithoutReadingIt() {
        Payload job = job(
                "{\"class\":\"charge\",\"jid\":\"1\",\"args\":[\"Kim\",\"4111-1\"],\"unique_lock\":\"abc\",\"tags\":[\"4111-1\"],"
                        + "\"error_message\":\"4111-1\",\"past_attempts\":[{\"message\":\"4111-1\"}],\"at\":7}");

        assertThat(new String(masking().hidden(job).bytes(), UTF_8))
                .isEqualTo(
                        "{\"class\":\"charge\",\"jid\":\"1\",\"args\":\"•••\",\"unique_lock\":\"•••\",\"tags\":\"•••\","
                                + "\"error_message\":\"•••\",\"at\":7}");
    }
}
