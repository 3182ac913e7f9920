package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobJsonCustomizer;
import dev.jobs.JobParam;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import java.util.Currency;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Beans that change the JSON of arguments and results. */
class JsonCustomizerIT {

    @AutoClose
    private final EmbeddedRedis redis = EmbeddedRedis.start();

    private final ApplicationContextRunner runner = JobsContext.on(redis);

    private static JobJsonCustomizer money() {
        return mapper -> mapper.addModule(new SimpleModule("money")
                .addSerializer(new StdSerializer<Money>(Money.class) {
                    @Override
                    public void serialize(Money value, JsonGenerator out, SerializationContext context) {
                        out.writeString(value.cents + " " + value.currency);
                    }
                })
                .addDeserializer(Money.class, new StdDeserializer<>(Money.class) {
                    @Override
                    public Money deserialize(JsonParser in, DeserializationContext context) {
                        String[] parts = in.getString().split(" ");
                        return new Money(Long.parseLong(parts[0]), Currency.getInstance(parts[1]));
                    }
                }));
    }

    @Test
    void aModuleCarriesArgumentsDefaultsAndResults() {
        runner.withBean(JobJsonCustomizer.class, JsonCustomizerIT::money)
                .withBean(Shop.class)
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    Money euros = new Money(250, Currency.getInstance("EUR"));

                    JobCall call = JobCall.of(Shop::twice, euros, new Money(5, euros.currency));
                    assertThat(jobs.submit(call, Money.class)
                                    .await(Duration.ofSeconds(60))
                                    .value()
                                    .cents)
                            .isEqualTo(505);
                    assertThat(jobs.submit("Shop.twice", Money.class, euros)
                                    .await(Duration.ofSeconds(60))
                                    .value()
                                    .cents)
                            .isEqualTo(501);
                    jobs.in(Duration.ofHours(1)).enqueue("Shop.twice", euros);
                    assertThat(context.getBean(StringRedisTemplate.class)
                                    .opsForZSet()
                                    .range("schedule", 0, -1)
                                    .toString())
                            .contains("\"args\":[\"250 EUR\"]");
                });
    }

    @Test
    void withoutItTheStartSaysThatSuchAnArgumentCantBeCarried() {
        runner.withBean(Shop.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("Money"));
    }

    @Test
    void defaultTypingEndsTheStart() {
        runner.withBean(
                        JobJsonCustomizer.class,
                        () -> mapper -> mapper.activateDefaultTyping(
                                BasicPolymorphicTypeValidator.builder().build(), DefaultTyping.NON_FINAL))
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("turns on default typing"));
    }

    static final class Money {

        private final long cents;
        private final Currency currency;

        Money(long cents, Currency currency) {
            this.cents = cents;
            this.currency = currency;
        }
    }

    static class Shop {

        @Job("Shop.twice")
        Money twice(Money money, @JobParam(defaultValue = "1 EUR") Money tip) {
            return new Money(2 * money.cents + tip.cents, money.currency);
        }
    }
}
