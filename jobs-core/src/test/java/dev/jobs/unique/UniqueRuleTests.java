package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The annotation {@link Unique} and the keys that its templates make. */
class UniqueRuleTests {

    record Owner(long id, String name) {}

    record Shop(Owner owner, @JsonProperty("no") int number) {}

    record Plain(Owner owner) {}

    @Unique(forAtMost = "1h30m", until = Until.START, onConflict = OnConflict.ERROR) @Retention(RetentionPolicy.RUNTIME)
    @interface OncePerShop {}

    static class Jobs {
        @Job
        void job(Shop shop, String text, Object any, Plain plain, List<String> list) {}

        @Job
        @Unique
        void all(Shop shop, String text) {}

        @Job
        @OncePerShop
        void composed() {}
    }

    private static final Method JOB = method(Jobs.class, "job");

    private static Method method(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Unique unique(String key, String forAtMost) {
        Map<String, Object> values =
                Map.of("key", key, "until", Until.SUCCESS, "forAtMost", forAtMost, "onConflict", OnConflict.SKIP);
        return (Unique) Proxy.newProxyInstance(
                Unique.class.getClassLoader(),
                new Class<?>[] {Unique.class},
                (proxy, method, arguments) -> values.get(method.getName()));
    }

    private static JobDefinition definition(Method method, Unique unique) {
        return JobDefinition.of(
                method.getAnnotation(Job.class),
                new JobAnnotations.Search() {
                    @Override
                    public <A extends Annotation> List<A> of(Method any, Class<A> type) {
                        return type == Unique.class ? List.of(type.cast(unique)) : List.of();
                    }
                },
                new ArgumentCodec(),
                Jobs.class,
                method,
                List.of(method.getGenericParameterTypes()),
                arguments -> null);
    }

    private static String key(String template, String arguments) {
        List<Object> parsed =
                Payload.parse(("{\"args\":" + arguments + "}").getBytes(UTF_8)).args();
        return definition(JOB, unique(template, "1d")).rule(UniqueRule.class).key(parsed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {1}                  | [null, "a"]                            | a
                    {text}               | [null, "a"]                            | a
                    shop:{0.owner.id}    | [{"owner":{"id":5}}]                   | shop:5
                    {shop.owner.id}/{1}  | [{"owner":{"id":5}}, "x"]              | 5/x
                    {0.owner}            | [{"owner":{"name":"Bob","id":5}}]      | {"id":5,"name":"Bob"}
                    {0.no}               | [{"no":7}]                             | 7
                    {2}                  | [0, 0, [1, 2.5, true, null, "a"]]      | [1,2.5,true,null,"a"]
                    {any.deep.er}        | [0, 0, {"deep":{"er":"here"}}]         | here
                    {2}                  | [0, 0, {"b":1, "a":{"d":1, "c":2}}]    | {"a":{"c":2,"d":1},"b":1}
                    {1}                  | [0]                                    | null
                    {0.owner.id}         | [{"owner":null}]                       | null
                    {0.owner.id}         | [{}]                                   | null
                    {0.owner.id}         | [null]                                 | null
                    {1}                  | [0, "Grüße 😀"]                        | Grüße 😀
                    {1}                  | [0, "Gr\\u00fc\\u00dfe"]               | Grüße
                    für:{1}              | [0, "{1}"]                             | für:{1}
                    always the same      | [1, 2]                                 | always the same
                    ''                   | [1,  "a", {"b":1,"a":2}]               | [1,"a",{"a":2,"b":1}]
                    ''                   | []                                     | []
                    """)
    void aTemplateMakesTheKey(String template, String arguments, String key) {
        assertThat(key(template, arguments)).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"text\"]", "[5]", "[[1]]", "[{\"owner\":\"Bob\"}]"})
    void whatShouldHaveMembersIsRefusedIfItHasNone(String arguments) {
        assertThatThrownBy(() -> key("{0.owner.id}", arguments))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("the key of its lock has {0.owner.id}, but what should have")
                .hasMessageContaining("is no object");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {5}             | names '5', but the parameters are [shop, text, any, plain, list]
                    {nobody}        | names 'nobody'
                    {-1}            | names '-1'
                    {}              | names ''
                    {0.}            | has an empty name in {0.}
                    {0..id}         | has an empty name
                    {0              | has a brace without its counterpart
                    0}              | has a brace without its counterpart
                    {{0}}           | has a brace without its counterpart
                    {1.length}      | names 'length', but a java.lang.String has no members
                    {list.0}        | names '0', but a java.util.List has no members
                    {plain.nobody}  | names 'nobody', which dev.jobs.unique.UniqueRuleTests$Plain doesn't have
                    {plain.owner.x} | names 'x', which dev.jobs.unique.UniqueRuleTests$Owner doesn't have
                    {0.owner.id.x}  | names 'x', but a long has no members
                    """)
    void aTemplateThatFitsNoParameterFailsTheStart(String template, String reason) {
        assertThatThrownBy(() -> definition(JOB, unique(template, "24h")))
                .isInstanceOfSatisfying(JobDefinitionException.class, e -> assertThat(e.action())
                        .contains("{shop.id}"))
                .hasMessageContaining(
                        "The @Job method dev.jobs.unique.UniqueRuleTests$Jobs.job can't be used: the key '" + template)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "0s", "-1h", "99999d"})
    void aBadTimeFailsTheStart(String time) {
        assertThatThrownBy(() -> definition(JOB, unique("", time)))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("its @Unique(forAtMost) is '" + time + "'");
    }

    static class WithCron {
        @Job(cron = "0 2 * * *")
        @Unique
        void nightly() {}
    }

    static class NoJob {
        @Unique
        void forgotten() {}
    }

    @Test
    void aRecurringJobAndAMethodThatIsNoJobFailTheStart() {
        assertThatThrownBy(() -> JobRegistry.of(new WithCron()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("nightly can't be used: it is unique and has a cron text");
        assertThatThrownBy(() -> JobRegistry.of(new NoJob()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("forgotten has no effect: the method is not a @Job");
    }

    @Test
    void theAnnotationMayStandOnAnAnnotation() {
        UniqueRule rule =
                JobRegistry.of(new Jobs()).find("Jobs.composed").orElseThrow().rule(UniqueRule.class);

        assertThat(rule.until()).isEqualTo(Until.START);
        assertThat(rule.seconds()).isEqualTo(5_400L);
        assertThat(rule.onConflict()).isEqualTo(OnConflict.ERROR);
        assertThat(JobRegistry.of(new Jobs()).find("Jobs.job").orElseThrow().rule(UniqueRule.class))
                .isNull();
    }

    @Test
    void theDigestDependsOnTheJobAndTheKeyAlone() {
        assertThat(UniqueRule.digest("Shops.sync", "shop:5"))
                .hasSize(43)
                .matches("[A-Za-z0-9_-]+")
                .isEqualTo(UniqueRule.digest("Shops.sync", "shop:5"))
                .isNotEqualTo(UniqueRule.digest("Shops.sync", "shop:6"))
                .isNotEqualTo(UniqueRule.digest("Shops.load", "shop:5"));
        assertThat(Map.of(
                        "unique_lock", UniqueRule.LOCK, "unique_for", UniqueRule.FOR, "unique_until", UniqueRule.UNTIL))
                .allSatisfy((expected, member) -> assertThat(member).isEqualTo(expected));
    }
}
