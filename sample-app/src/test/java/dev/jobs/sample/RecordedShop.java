package dev.jobs.sample;

import org.springframework.boot.SpringApplication;

/** The unchanged shop with {@link JobRecords}. */
final class RecordedShop {

    private RecordedShop() {}

    public static void main(String[] args) {
        SpringApplication.from(ShopApplication::main).with(JobRecords.class).run(args);
    }
}
