package dev.jobs.test.orders;

import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureJobs(mode = JobsMode.WORKER)
class AfterCommitWorkerIT extends TransactionsContract {}
