package dev.jobs.test.orders;

import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@SpringBootTest(properties = "jobs.transactions=outbox")
@AutoConfigureJobs(mode = JobsMode.INLINE)
@Import(InlineTransactionsTests.Books.class)
class OutboxInlineTests extends InlineTransactionsTests {}
