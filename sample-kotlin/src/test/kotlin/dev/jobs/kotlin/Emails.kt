package dev.jobs.kotlin

import dev.jobs.iterations.Iteration
import dev.jobs.Job
import dev.jobs.JobClient
import dev.jobs.JobContext
import java.time.Duration
import java.time.Instant
import java.util.concurrent.BlockingQueue
import java.util.concurrent.LinkedBlockingQueue
import org.springframework.stereotype.Component

data class Greeting(val to: String, val visits: Int = 1, val from: String? = null)

@Component
class Emails {

    val sent: BlockingQueue<String> = LinkedBlockingQueue()

    @Job("Emails.welcome")
    fun welcome(to: String, visits: Int) {
        sent.put("Welcome, $to! Visit no. $visits")
    }

    @Job("Emails.greet")
    fun greet(greeting: Greeting, at: Instant?, job: JobContext) {
        sent.put("${job.name()}: $greeting at $at")
    }

    @Job("Emails.remindAll")
    fun remindAll(people: List<String>): Iteration<String> =
        Iteration.over(people).each { person -> sent.put("Reminder for $person") }
}

@Component
class SignUp(private val jobs: JobClient) {

    fun signUp(email: String) {
        jobs.enqueue(Emails::welcome, email, 1)
        jobs.`in`(Duration.ofDays(1)).enqueue(Emails::welcome, email, 2)
        jobs.enqueue(Emails::greet, Greeting(email), null)
        jobs.enqueue("Emails.remindAll", listOf("ada", "bob"))
    }
}
