package dev.jobs.spring.autoconfigure.context;

import dev.jobs.JobDefinitionException;
import dev.jobs.JobListener;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the values that jobs take along, if properties name any. */
@AutoConfiguration(
        after = JobsAutoConfiguration.class,
        afterName = "dev.jobs.spring.autoconfigure.metrics.JobsObservationAutoConfiguration")
@ConditionalOnBean(JobsProperties.class)
@Conditional(SomethingCarried.class)
public final class JobsContextAutoConfiguration {

    @Bean
    CarriedValues jobsCarriedValues(JobsProperties properties, ObjectProvider<Accessors> accessors) {
        return new CarriedValues(new LateValue<>(() -> values(properties.context(), accessors)));
    }

    private static List<CarriedValue> values(JobsProperties.Context context, ObjectProvider<Accessors> accessors) {
        List<CarriedValue> values = new ArrayList<>();
        context.mdcKeys().forEach(key -> values.add(new MdcValue(key)));
        if (context.locale()) {
            values.add(new LocaleValue());
        }
        if (!context.accessors().isEmpty()) {
            Accessors known = accessors.getIfAvailable(() -> {
                throw new JobDefinitionException(
                        "The property jobs.context.accessors is set, and Micrometer's context propagation is missing",
                        "Add io.micrometer:context-propagation to the dependencies.");
            });
            context.accessors().forEach(key -> values.add(known.find(key)));
        }
        return List.copyOf(values);
    }

    /** Reports a missing accessor at start, when every bean had its chance to register one. */
    @Bean
    SmartInitializingSingleton jobsCarriedValuesCheck(CarriedValues values) {
        return values::check;
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    CarriedContext jobsCarriedContext(CarriedValues values) {
        return new CarriedContext(values.all());
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    JobListener jobsContextStart(CarriedContext context) {
        return context.begins();
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    JobListener jobsContextStop(CarriedContext context) {
        return context.ends();
    }

    /** Accessors of Micrometer's context propagation, if that is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ContextRegistry.class)
    static class WithAccessors {

        @Bean
        Accessors jobsContextAccessors(ObjectProvider<ThreadLocalAccessor<?>> accessors) {
            return new Accessors(accessors.orderedStream().toList());
        }
    }
}
