package dev.jobs.kotlin

import dev.jobs.InvalidJobException
import dev.jobs.Job
import dev.jobs.JobClient
import java.math.BigDecimal
import java.util.concurrent.BlockingQueue
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit.SECONDS
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.springframework.boot.SpringApplication
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** The page docs/kotlin.md says what works; without a Redis address, an embedded one starts. */
class KotlinIT {

    private lateinit var context: ConfigurableApplicationContext

    @BeforeEach
    fun start() {
        context = SpringApplicationBuilder(Application::class.java)
            .properties("spring.main.banner-mode=off", "jobs.concurrency=1")
            .run()
    }

    @AfterEach
    fun stop() {
        context.close()
    }

    @Test
    fun `jobs that are written and enqueued in Kotlin run`() {
        val emails = context.getBean(Emails::class.java)

        context.getBean(SignUp::class.java).signUp("ada@example.com")

        assertThat(List(4) { emails.sent.poll(60, SECONDS) })
            .containsExactlyInAnyOrder(
                "Welcome, ada@example.com! Visit no. 1",
                "Emails.greet: Greeting(to=ada@example.com, visits=1, from=null) at null",
                "Reminder for ada",
                "Reminder for bob",
            )
    }

    @Test
    fun `an internal function is found under the name that Kotlin gives it`() {
        assertThat(client().enqueue(More::hidden, 1L)).isNotNull()
    }

    @Test
    fun `read-only collections of what is not final arrive with their types`() {
        client().enqueue(More::render, mapOf("visits" to 2), listOf(BigDecimal("1.50")), listOf(listOf("a")))

        assertThat(context.getBean(More::class.java).rendered.poll(60, SECONDS))
            .isEqualTo("{visits=2} [1.50] [[a]], 1.50 first")
    }

    @Test
    fun `a function with a result can not be told from its reference`() {
        assertThatThrownBy { client().enqueue(Emails::remindAll, listOf("ada")) }
            .isInstanceOf(InvalidJobException::class.java)
            .hasMessageContaining("or enqueue by name")
    }

    @Test
    fun `a lambda is refused`() {
        assertThatThrownBy { client().enqueue({ emails: Emails, to: String -> emails.welcome(to, 1) }, "ada") }
            .isInstanceOf(InvalidJobException::class.java)
    }

    @Test
    fun `a suspending function is refused at the start`() {
        assertThatThrownBy { SpringApplication.run(Suspending::class.java).close() }
            .rootCause()
            .hasMessageContaining("kotlin.coroutines.Continuation")
    }

    private fun client(): JobClient = context.getBean(JobClient::class.java)

    class More {
        val rendered: BlockingQueue<String> = LinkedBlockingQueue()

        @Job
        fun render(model: Map<String, Any>, amounts: List<BigDecimal>, rows: List<List<String>>) {
            rendered.put("$model $amounts $rows, ${amounts.first()} first")
        }

        @Job
        internal fun hidden(number: Long) {
            check(number > 0)
        }
    }

    class Later {
        @Job
        suspend fun wait(number: Long) {
            check(number > 0)
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Emails::class, SignUp::class, More::class)
    class Application

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Later::class)
    class Suspending
}
