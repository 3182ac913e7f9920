package org.springframework.samples.shop;

import dev.jobs.Job;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;

/** A job by an annotation of such an application. */
@AutoConfigurationPackage
public class Bills {

    @Job
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface ShopJob {}

    @ShopJob
    void send(String bill) {}
}
