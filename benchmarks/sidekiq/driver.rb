# Sidekiq as a driver: reads commands, one per line, and answers each with one line of JSON, like the drivers in Java.
# The argument is the address of Redis. Jobs run in this process, by Sidekiq's own threads.
require "json"

ANSWERS = $stdout.dup
ANSWERS.sync = true
$stdout.reopen($stderr)

def answer(fields)
  ANSWERS.puts(JSON.generate(fields))
end

begin
  require "sidekiq"
  require "sidekiq/api"
  require "sidekiq/launcher"
rescue LoadError => e
  answer(unsupported: "needs the gem sidekiq (#{e.message.lines.first.strip})")
  exit
end

def nanos
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def cpu_nanos
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
end

# Counts the jobs that ran, and records their times.
class Tally
  attr_reader :entered, :begun_at, :ended_at, :begun_cpu, :ended_cpu

  def initialize(expected, millis = 0)
    @expected = expected
    @seconds = millis / 1000.0
    @begun = 0
    @done = 0
    @entered = {}
    @lock = Mutex.new
    @all = ConditionVariable.new
  end

  def ran(id = nil)
    @lock.synchronize do
      @entered[id] ||= nanos if id
      @begun += 1
      @begun_at, @begun_cpu = nanos, cpu_nanos if @begun == 1
    end
    sleep(@seconds) if @seconds > 0
    @lock.synchronize do
      @done += 1
      if @done == @expected
        @ended_at, @ended_cpu = nanos, cpu_nanos
        @all.broadcast
      end
    end
  end

  def await(seconds)
    deadline = nanos + seconds * 1_000_000_000
    @lock.synchronize do
      while @done < @expected
        left = (deadline - nanos) / 1e9
        raise "only #{@done} jobs were run in #{seconds} s" if left <= 0
        @all.wait(@lock, left)
      end
    end
  end

  def count
    @lock.synchronize { @done }
  end

  def took
    @ended_at - @begun_at
  end
end

JOBS = defined?(Sidekiq::Job) && Sidekiq::Job.is_a?(Module) && Sidekiq::Job.method_defined?(:jid) ? Sidekiq::Job : Sidekiq::Worker

class Nothing
  include JOBS

  def perform
    $tally.ran
  end
end

class Timed
  include JOBS

  def perform(id)
    $tally.ran(id)
  end
end

# A poller's first poll comes 10 s or more after its start, which says nothing about a worker that has been up for a while.
Sidekiq::Scheduled::Poller.prepend(Module.new { private def initial_wait; end })

# Two versions that don't quite match, as in some distributions, would otherwise log a line for each command.
Redis.silence_deprecations = true if defined?(Redis) && Redis.respond_to?(:silence_deprecations=)
Redis.sadd_returns_boolean = false if defined?(Redis) && Redis.respond_to?(:sadd_returns_boolean=)

SERVER = {url: ARGV.fetch(0), size: 25}
Sidekiq.configure_client { |config| config.redis = SERVER }
if Sidekiq.respond_to?(:default_configuration)
  Sidekiq.default_configuration.logger.level = Logger::WARN
else
  Sidekiq.logger.level = Logger::WARN
end

def launcher(concurrency)
  if Sidekiq.respond_to?(:configure_embed)
    Sidekiq.configure_embed do |config|
      config.redis = SERVER
      config.logger.level = Logger::WARN
      config.queues = %w[default]
      config.concurrency = concurrency
    end
  else
    Sidekiq::Launcher.new(Sidekiq.options.merge(queues: %w[default], strict: true, concurrency: concurrency, timeout: 5, fetch: nil))
  end
end

def with_workers(concurrency, tally)
  $tally = tally
  workers = launcher(concurrency)
  workers.run
  yield
ensure
  workers&.stop
end

def redis(*command)
  Sidekiq.redis { |connection| connection.call(*command) }
end

def info(section)
  found = redis("INFO", section)
  found.is_a?(Hash) ? found : found.scan(/^([^#:\r\n]+):([^\r\n]*)/).to_h
end

def counters
  stats = info("commandstats").transform_values { |text| text[/calls=(\d+)/, 1].to_i }
  cpu = info("cpu")
  {
    redis_script_calls: stats.sum { |name, calls| name.match?(/eval|fcall/) ? calls : 0 },
    redis_commands: stats.values.sum,
    redis_reads: info("stats")["total_reads_processed"].to_i,
    redis_cpu_nanos: ((cpu["used_cpu_sys"].to_f + cpu["used_cpu_user"].to_f) * 1e9).round
  }
end

def since(before)
  counters.merge(before) { |_, now, was| now - was }
end

def enqueue_in_bulk(jobs)
  jobs.step(1, -1000) do |left|
    Sidekiq::Client.push_bulk("class" => Nothing, "args" => Array.new([left, 1000].min) { [] })
  end
end

def in_threads(threads, jobs)
  Array.new(threads) do |i|
    share = jobs / threads + (i < jobs % threads ? 1 : 0)
    Thread.new { share.times { yield } }
  end.each(&:join)
end

def work_off(jobs, concurrency, tally)
  enqueue_in_bulk(jobs)
  before = counters
  with_workers(concurrency, tally) { tally.await(120) }
  {jobs: jobs, concurrency: concurrency, ran: tally.count, nanos: tally.took, cpu_nanos: tally.ended_cpu - tally.begun_cpu}.merge(since(before))
end

def quantiles(waits)
  sorted = waits.sort
  at = ->(share) { sorted[[sorted.size - 1, (share * sorted.size).floor].min] }
  {samples: sorted.size, p50_nanos: at[0.5], p99_nanos: at[0.99], max_nanos: sorted.last, mean_nanos: sorted.sum / sorted.size}
end

def drain(jobs, concurrency)
  work_off(jobs, concurrency, Tally.new(jobs))
end

def work(jobs, concurrency, millis)
  bare = Tally.new(jobs, millis)
  in_threads(concurrency, jobs) { bare.ran }
  work_off(jobs, concurrency, Tally.new(jobs, millis)).merge(millis: millis, bare_nanos: bare.took)
end

def enqueue_single(jobs, threads)
  from = nanos
  in_threads(threads, jobs) { Nothing.perform_async }
  {jobs: jobs, threads: threads, nanos: nanos - from}
end

def enqueue_bulk(jobs)
  from = nanos
  enqueue_in_bulk(jobs)
  {jobs: jobs, nanos: nanos - from}
end

def latency(samples, concurrency)
  first = 100
  tally = Tally.new(first + samples)
  called = []
  with_workers(concurrency, tally) do
    (first + samples).times do |id|
      sleep(rand(0.005..0.010))
      called[id] = nanos
      Timed.perform_async(id)
    end
    tally.await(120)
  end
  quantiles((first...first + samples).map { |id| tally.entered[id] - called[id] }).merge(concurrency: concurrency)
end

def due(jobs, concurrency)
  tally = Tally.new(jobs)
  with_workers(concurrency, tally) do
    ahead = 3 + jobs / 5000.0
    at = Time.now.to_f + ahead
    due_at = nanos + (ahead * 1e9).round
    jobs.times.each_slice(1000) do |ids|
      Sidekiq::Client.push_bulk("class" => Timed, "args" => ids.map { |id| [id] }, "at" => at)
    end
    raise "it took too long to schedule #{jobs} jobs" if nanos > due_at
    tally.await(120)
    {jobs: jobs, concurrency: concurrency, ran: tally.count, first_nanos: tally.entered.values.min - due_at, nanos: tally.ended_at - due_at}
  end
end

def lateness(samples, concurrency)
  tally = Tally.new(samples)
  due_at = {}
  with_workers(concurrency, tally) do
    ahead = 2.0
    begun, begun_nanos = Time.now.to_f, nanos
    samples.times do |id|
      due_at[id] = begun_nanos + (ahead * 1e9).round
      Timed.perform_at(begun + ahead, id)
      ahead += rand(0.061..0.211)
    end
    tally.await(120)
  end
  quantiles(tally.entered.map { |id, at| at - due_at[id] }).merge(concurrency: concurrency)
end

COMMANDS = {"drain" => 2, "work" => 3, "enqueue-single" => 2, "enqueue-bulk" => 1, "latency" => 2, "due" => 2, "lateness" => 2}

def perform(line)
  name, *rest = line.split
  raise ArgumentError, "unknown command: #{line}" unless COMMANDS[name] == rest.size
  redis("FLUSHALL")
  send(name.tr("-", "_"), *rest.map { |word| Integer(word) })
rescue => e
  warn(e.full_message)
  {error: "#{e.class}: #{e.message}"}
end

# If the input ends during a measurement, the harness is gone and doesn't wait for the answer.
lines = Queue.new
$busy = false
Thread.new do
  while (line = $stdin.gets)
    lines << line unless line.strip.empty?
  end
  exit!(1) if $busy
  lines << nil
end

answer(driver: "Sidekiq #{Sidekiq::VERSION}, Ruby #{RUBY_VERSION}, logging of jobs off, the poller's first wait left out")
while (line = lines.pop)
  $busy = true
  answer(perform(line))
  $busy = false
end
