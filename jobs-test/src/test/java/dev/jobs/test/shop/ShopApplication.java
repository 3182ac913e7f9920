package dev.jobs.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with jobs, whose tests are those that its developers would write. */
@SpringBootApplication
class ShopApplication {}
