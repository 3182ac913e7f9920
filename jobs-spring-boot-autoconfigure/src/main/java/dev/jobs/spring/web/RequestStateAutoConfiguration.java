package dev.jobs.spring.web;

import dev.jobs.threads.ThreadState;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** The request that Spring keeps on a thread, which no job may hand to the next one. */
@AutoConfiguration
@ConditionalOnClass(RequestContextHolder.class)
public final class RequestStateAutoConfiguration {

    @Bean
    ThreadState jobsRequestState() {
        return new ThreadState() {
            @Override
            public Runnable remember() {
                RequestAttributes before = RequestContextHolder.getRequestAttributes();
                return () -> {
                    if (RequestContextHolder.getRequestAttributes() != before) {
                        RequestContextHolder.setRequestAttributes(before);
                    }
                };
            }

            @Override
            public void clear() {
                RequestContextHolder.resetRequestAttributes();
            }
        };
    }
}
