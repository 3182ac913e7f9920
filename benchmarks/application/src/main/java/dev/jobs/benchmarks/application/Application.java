package dev.jobs.benchmarks.application;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. What else is on the class path below its package belongs to it. */
@SpringBootApplication(proxyBeanMethods = false)
class Application {}
