package dev.jobs.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Stands in for a mail provider. Its mails are log lines. */
@Component
class MailGateway {

    private static final Logger log = LoggerFactory.getLogger(MailGateway.class);

    private final StringRedisTemplate redis;

    MailGateway(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Sends a mail, or does nothing if one was sent under this key before.
     *
     * <p>Not every provider offers this. Without it, choose which is worse: if a mail sent twice is, record it before
     * sending; if a mail never sent is, record it afterwards.
     */
    void send(String key, String to, String subject) {
        if (Boolean.TRUE.equals(redis.opsForValue().setIfAbsent("shop:mails:" + key, to))) {
            log.info("Mail to {}: {}", to, subject);
        }
    }
}
