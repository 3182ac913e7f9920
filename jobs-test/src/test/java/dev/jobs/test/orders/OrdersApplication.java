package dev.jobs.test.orders;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class OrdersApplication {}
