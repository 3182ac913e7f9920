package dev.jobs.embeddedredis.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the embedded Redis. Conditions read them before they are bound.
 *
 * @param enabled Whether to start a Redis for an application that sets no Redis address. None is started if
 *     "jobs.enabled" is false. Unless this is set, a packaged application that starts one is warned.
 */
@ConfigurationProperties("jobs.embedded-redis")
record EmbeddedRedisProperties(@DefaultValue("true") boolean enabled) {}
