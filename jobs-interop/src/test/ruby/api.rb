# frozen_string_literal: true

# Sidekiq's client and data API, one line at a time: the answer to ["command", argument, ...] is {"ok": answer} or {"error": text}.
answers = $stdout.dup
answers.sync = true
$stdout.reopen($stderr) # Sidekiq logs there

require_relative "libraries"
require_relative "jobs"

# Each method is a command.
class Api
  SETS = {
    "schedule" => Sidekiq::ScheduledSet,
    "retry" => Sidekiq::RetrySet,
    "dead" => Sidekiq::DeadSet
  }.freeze

  # The client

  def push(payload) = Sidekiq::Client.push(payload)

  def push_value(queue, name) = Interop::Value.set(queue: queue).perform_async(name, Interop::VALUES.fetch(name))

  def perform_async(queue, name, *arguments) = job(queue, name).perform_async(*arguments)

  def perform_in(queue, name, seconds, *arguments) = job(queue, name).perform_in(seconds, *arguments)

  def push_bulk(queue, name, arguments, at = nil)
    payload = {"class" => name, "queue" => queue, "args" => arguments}
    payload["at"] = at if at
    Sidekiq::Client.push_bulk(payload)
  end

  # Queues

  def queues = Sidekiq::Queue.all.to_h { |queue| [queue.name, {"size" => queue.size, "latency" => queue.latency}] }

  def queue(name) = Sidekiq::Queue.new(name).map { |job| describe(job) }

  def delete_from_queue(name, jid) = Sidekiq::Queue.new(name).find_job(jid).delete

  def clear_queue(name) = Sidekiq::Queue.new(name).clear

  # Sets

  def set(name) = SETS.fetch(name).new.map { |entry| describe(entry) }

  def fetch(name, score, jid) = SETS.fetch(name).new.fetch(score, jid).map { |entry| describe(entry) }

  def scan(name, text) = SETS.fetch(name).new.scan(text).map { |entry| describe(entry) }

  def find(name, jid) = describe(entry(name, jid))

  def delete(name, jid) = entry(name, jid).delete

  def reschedule(name, jid, seconds) = entry(name, jid).reschedule(Time.at(seconds))

  def add_to_queue(name, jid) = entry(name, jid).add_to_queue

  def retry_now(name, jid) = entry(name, jid).retry

  def kill(name, jid) = entry(name, jid).kill

  def retry_all(name) = SETS.fetch(name).new.retry_all

  def kill_all(name) = SETS.fetch(name).new.kill_all

  # Processes

  def processes = Sidekiq::ProcessSet.new.map { |process| describe_process(process) }

  def work
    Sidekiq::WorkSet.new.map do |identity, thread, work|
      payload = work.is_a?(Hash) ? work["payload"] : work.job.item # a Work from Sidekiq 7.2 on
      queue, run_at = work.is_a?(Hash) ? work.values_at("queue", "run_at") : [work.queue, work.run_at]
      {"identity" => identity, "thread" => thread, "queue" => queue, "run_at" => run_at.to_i, "jid" => payload["jid"]}
    end
  end

  def leader = Sidekiq::ProcessSet.new.leader

  def busy = Sidekiq::WorkSet.new.size

  def quiet(identity) = process(identity).quiet!

  def stop(identity) = process(identity).stop!

  # Numbers

  def stats
    stats = Sidekiq::Stats.new
    %w[processed failed scheduled_size retry_size dead_size enqueued processes_size workers_size default_queue_latency]
      .to_h { |name| [name, stats.public_send(name)] }
  end

  def history(days)
    history = Sidekiq::Stats::History.new(days)
    {"processed" => history.processed, "failed" => history.failed}
  end

  def paused = Sidekiq::Stats.new.queue_summaries.select(&:paused?).map(&:name) # from Sidekiq 8 on

  # Executions, since Sidekiq 8

  def metrics(name)
    result = Sidekiq::Metrics::Query.new.for_job(name, minutes: 60).job_results[name]
    histogram = result.hist.values.transpose.map(&:sum).reverse # the pages show the longest first
    totals(result).merge("histogram" => histogram)
  end

  def coarse_metrics(name, hours) = totals(Sidekiq::Metrics::Query.new.top_jobs(hours: hours).job_results[name])

  # The upper bounds; the last bucket has none.
  def buckets = Sidekiq::Metrics::Histogram::BUCKET_INTERVALS[0...-1]

  def deploys = Sidekiq::Deploy.new.fetch

  def mark_deploy(label) = Sidekiq::Deploy.mark!(label)

  # Iterable jobs, since Sidekiq 7.3

  def iteration(jid)
    state = Sidekiq::IterableJobQuery.new([jid])[jid]
    {"executions" => state.executions, "cursor" => state.cursor}
  end

  def cancel(name, jid)
    job = Object.const_get(name).new
    job.jid = jid
    job.cancel!
  end

  private

  def job(queue, name) = Object.const_get(name).set(queue: queue)

  def entry(name, jid) = SETS.fetch(name).new.find_job(jid) || raise("#{jid} is not in #{name}")

  def process(identity)
    Sidekiq::ProcessSet.new.find { |process| process["identity"] == identity } || raise("there is no process #{identity}")
  end

  def totals(result)
    {"processed" => result.totals["p"], "failed" => result.totals["f"], "millis" => result.totals["ms"]}
  end

  def describe(job)
    described = {
      "jid" => job.jid,
      "name" => job.display_class,
      "args" => job.display_args,
      "queue" => job.queue,
      "tags" => job.tags,
      "created_at" => job.created_at.to_f,
      "enqueued_at" => job.enqueued_at.to_f,
      "latency" => job.latency.to_f,
      "failed_at" => seconds(job["failed_at"]),
      "retried_at" => seconds(job["retried_at"]),
      "error_class" => job["error_class"],
      "error_message" => job["error_message"],
      "backtrace" => job.error_backtrace,
      "stored" => job.value
    }
    described["score"] = job.score if job.respond_to?(:score)
    described
  end

  # As Sidekiq's pages read it.
  def seconds(time)
    time.is_a?(Integer) && Integer(Sidekiq::VERSION[/\d+/]) >= 8 ? time / 1000.0 : time
  end

  def describe_process(process)
    attributes = %w[hostname pid concurrency busy beat rss rtt_us started_at].to_h { |name| [name, process[name]] }
    attributes.merge(
      "identity" => process.identity,
      "tag" => process.tag,
      "labels" => process.labels,
      "queues" => process.queues,
      "stopping" => process.stopping?,
      "capsules" => process["capsules"],
      "weights" => process["weights"],
      "version" => process["version"],
      "embedded" => process["embedded"]
    )
  end
end

api = Api.new
$stdin.each_line do |line|
  command, *arguments = JSON.parse(line)
  answer =
    begin
      raise "there is no command #{command}" unless Api.public_instance_methods(false).include?(command.to_sym)

      JSON.generate({"ok" => api.public_send(command, *arguments)})
    rescue => e
      JSON.generate({"error" => "#{e.class}: #{e.message}"})
    end
  answers.puts(answer)
end
