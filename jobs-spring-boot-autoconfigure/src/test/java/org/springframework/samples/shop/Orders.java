package org.springframework.samples.shop;

import dev.jobs.Job;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;

/** A job of an application whose package is below those of Spring. */
@AutoConfigurationPackage
public class Orders {

    @Job
    void ship(String order) {}
}
