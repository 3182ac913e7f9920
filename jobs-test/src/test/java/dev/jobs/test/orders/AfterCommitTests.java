package dev.jobs.test.orders;

import dev.jobs.test.AutoConfigureJobs;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureJobs
class AfterCommitTests extends TransactionsContract {}
