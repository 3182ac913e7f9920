package dev.jobs.sample;

import dev.jobs.sample.Order.Card;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;
import org.springframework.stereotype.Component;

/** Stands in for a payment provider, whose own records outlive the shop. */
@Component
class PaymentGateway {

    private static final Logger log = LoggerFactory.getLogger(PaymentGateway.class);

    private final ValueOperations<String, String> memory;
    private final Duration latency;

    /** No answer in time: the card may have been charged or not. */
    static final class GatewayTimeoutException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        GatewayTimeoutException(String key) {
            super("The payment gateway did not answer about " + key);
        }
    }

    /** The bank declines, and will decline again. */
    static final class CardDeclinedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CardDeclinedException(String key) {
            super("The card for " + key + " was declined");
        }
    }

    PaymentGateway(StringRedisTemplate redis, ShopProperties properties) {
        this.memory = redis.opsForValue();
        this.latency = properties.takes().charge();
    }

    /**
     * Charges a card, or does nothing if it has been charged under this key before.
     *
     * @param key identifies the charge; the same for every attempt
     */
    void charge(String key, long cents, Card card) throws InterruptedException {
        Thread.sleep(latency.toMillis());
        switch (card) {
            case VISA -> charge(key, cents);
            case UNSTEADY -> {
                boolean firstCall = Boolean.TRUE.equals(memory.setIfAbsent("shop:gateway:" + key + ":called", "yes"));
                if (firstCall) {
                    throw new GatewayTimeoutException(key);
                }
                charge(key, cents);
            }
            case DECLINED -> throw new CardDeclinedException(key);
        }
    }

    private void charge(String key, long cents) {
        if (Boolean.TRUE.equals(memory.setIfAbsent("shop:gateway:" + key + ":charged", String.valueOf(cents)))) {
            log.info("Charged {} cents for {}", cents, key);
        } else {
            log.info("{} has been charged before, so it is not charged again", key);
        }
    }
}
