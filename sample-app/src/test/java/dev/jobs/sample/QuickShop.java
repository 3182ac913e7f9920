package dev.jobs.sample;

import dev.jobs.engine.EngineEnvironment;
import java.util.random.RandomGenerator;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The unchanged shop, except that retries follow when they are due, without the jitter of up to ten seconds. */
final class QuickShop {

    private QuickShop() {}

    public static void main(String[] args) {
        SpringApplication.from(ShopApplication::main).with(WithoutJitter.class).run(args);
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutJitter {

        @Bean
        EngineEnvironment withoutJitter() {
            EngineEnvironment system = EngineEnvironment.system();
            RandomGenerator random = new RandomGenerator() {
                @Override
                public long nextLong() {
                    return system.random().nextLong();
                }

                @Override
                public long nextLong(long bound) {
                    return 0;
                }
            };
            return new EngineEnvironment(
                    system.clock(), system.nanoTime(), random, system.processorThreads(), system.outOfMemory());
        }
    }
}
