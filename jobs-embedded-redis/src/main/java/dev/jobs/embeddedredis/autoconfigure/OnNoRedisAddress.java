package dev.jobs.embeddedredis.autoconfigure;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if no property sets the address of Redis. An empty value doesn't count, as in {@code url: ${REDIS_URL:}}. */
final class OnNoRedisAddress extends SpringBootCondition {

    private static final List<String> ADDRESSES = List.of(
            "spring.data.redis.url",
            "spring.data.redis.host",
            "spring.data.redis.port",
            "spring.data.redis.sentinel.master",
            "spring.data.redis.cluster.nodes",
            "spring.data.redis.masterreplica.nodes");

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("No Redis address");
        return ADDRESSES.stream()
                .filter(property -> isSet(context.getEnvironment(), property))
                .findFirst()
                .map(property -> ConditionOutcome.noMatch(message.because(property + " is set")))
                .orElseGet(() -> ConditionOutcome.match(message.because("no property sets one")));
    }

    private static boolean isSet(Environment environment, String property) {
        BindResult<List<String>> values = Binder.get(environment).bind(property, Bindable.listOf(String.class));
        return values.isBound() && values.get().stream().anyMatch(value -> !value.isBlank());
    }
}
