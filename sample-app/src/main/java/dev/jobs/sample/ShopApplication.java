package dev.jobs.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The shop. It needs nothing installed: if no Redis is configured, it starts one that ends with it. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(ShopProperties.class)
public class ShopApplication {

    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}
