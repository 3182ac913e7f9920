# Sidekiq as a driver: reads commands, one per line, and answers each with one line of JSON, like the drivers in Java.
# The arguments are the number of worker processes and the address of Redis. One worker is this process; several are its
# forks, which share the number of jobs at once, and only take part in drain and work.
require "json"

# As Rails does; where Ruby has been built with it.
RubyVM::YJIT.enable if defined?(RubyVM::YJIT) && RubyVM::YJIT.respond_to?(:enable)
PROCESSES = Integer(ARGV.fetch(0))
REDIS = ARGV.fetch(1)

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

  def ran(number = NOT_TIMED)
    @lock.synchronize do
      @entered[number] ||= nanos if number != NOT_TIMED
      @begun += 1
      @begun_at, @begun_cpu = nanos, cpu_nanos if @begun == 1
    end
    sleep(@seconds) if @seconds > 0
    @lock.synchronize do
      @done += 1
      @last_at = nanos
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

  # What a parent process needs to know of a worker.
  def progress
    @lock.synchronize { @done.zero? ? nil : [@done, @begun_at, @last_at, cpu_nanos - @begun_cpu] }
  end

  def took
    @ended_at - @begun_at
  end

  def cpu
    @ended_cpu - @begun_cpu
  end
end

# Worker processes that report their progress through pipes.
class Forks
  REPORT_SECONDS = 0.002

  def initialize(concurrency, millis)
    @last = []
    @workers = []
    PROCESSES.times do |i|
      share = concurrency / PROCESSES + (i < concurrency % PROCESSES ? 1 : 0)
      reports, report = IO.pipe
      stop, stopping = IO.pipe
      pid = fork do
        [reports, stopping, *@workers.map(&:last)].each(&:close)
        work([share, 1].max, Tally.new(-1, millis), report, stop)
        exit!(0)
      end
      [report, stop].each(&:close)
      Thread.new { reports.each_line { |line| @last[i] = line.split.map(&:to_i) } }
      @workers << [pid, stopping]
    end
  end

  def await(jobs, seconds)
    deadline = nanos + seconds * 1_000_000_000
    until count >= jobs
      raise "only #{count} jobs were run in #{seconds} s" if nanos > deadline
      sleep(REPORT_SECONDS)
    end
  end

  def count
    @last.compact.sum(&:first)
  end

  def took
    @last.compact.map { |each| each[2] }.max - @last.compact.map { |each| each[1] }.min
  end

  def cpu
    @last.compact.sum { |each| each[3] }
  end

  def stop
    @workers.each { |_, stopping| stopping.close }
    @workers.each { |pid, _| Process.wait(pid) }
  end

  private

  def work(concurrency, tally, report, stop)
    report.sync = true
    with_workers(concurrency, tally) do
      told = nil
      until stop.wait_readable(REPORT_SECONDS)
        now = tally.progress
        report.puts(now.join(" ")) if now && now[0] != told
        told = now && now[0]
      end
    end
  end
end

JOBS = defined?(Sidekiq::Job) && Sidekiq::Job.is_a?(Module) && Sidekiq::Job.method_defined?(:jid) ? Sidekiq::Job : Sidekiq::Worker

NOT_TIMED = -1

class Work
  include JOBS

  def perform(_text, number, _order)
    $tally.ran(number)
  end
end

# Arguments whose JSON has this size.
def arguments(bytes, number = NOT_TIMED)
  order = {"customer" => "Bob", "total" => 12.5, "urgent" => true}
  length = [0, bytes - JSON.generate(["", NOT_TIMED, order]).size].max
  [("the quick brown fox jumps over the lazy dog " * (length / 44 + 1))[0, length], number, order]
end

# A poller's first poll comes 10 s or more after its start, which says nothing about a worker that has been up for a while.
Sidekiq::Scheduled::Poller.prepend(Module.new { private def initial_wait; end })

# Two versions that don't quite match, as in some distributions, would otherwise log a line for each command.
Redis.silence_deprecations = true if defined?(Redis) && Redis.respond_to?(:silence_deprecations=)
Redis.sadd_returns_boolean = false if defined?(Redis) && Redis.respond_to?(:sadd_returns_boolean=)

SERVER = {url: REDIS, size: 25}
Sidekiq.configure_client { |config| config.redis = SERVER }
if Sidekiq.respond_to?(:default_configuration)
  Sidekiq.default_configuration.logger.level = Logger::WARN
else
  Sidekiq.logger.level = Logger::WARN
end

# Each with a configuration of its own, since Sidekiq freezes the global one when it starts.
def launcher(concurrency)
  return Sidekiq::Launcher.new(Sidekiq.options.merge(queues: %w[default], strict: true, concurrency: concurrency, timeout: 5, fetch: nil)) unless defined?(Sidekiq::Config)

  config = Sidekiq::Config.new
  config.redis = SERVER
  config.logger.level = Logger::WARN
  config.queues = %w[default]
  config.concurrency = concurrency
  config[:timeout] = 5
  Sidekiq::Launcher.new(config, embedded: true)
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

def enqueue_in_bulk(jobs, arguments)
  jobs.step(1, -1000) do |left|
    Sidekiq::Client.push_bulk("class" => Work, "args" => Array.new([left, 1000].min) { arguments })
  end
end

def in_threads(threads, jobs)
  Array.new(threads) do |i|
    share = jobs / threads + (i < jobs % threads ? 1 : 0)
    Thread.new { share.times { yield } }
  end.each(&:join)
end

def work_off(jobs, concurrency, millis, bytes)
  enqueue_in_bulk(jobs, arguments(bytes))
  before = counters
  if PROCESSES == 1
    ran = Tally.new(jobs, millis)
    with_workers(concurrency, ran) { ran.await(120) }
  else
    ran = Forks.new(concurrency, millis)
    begin
      ran.await(jobs, 120)
    ensure
      ran.stop
    end
  end
  {jobs: jobs, concurrency: concurrency, ran: ran.count, nanos: ran.took, cpu_nanos: ran.cpu}.merge(since(before))
end

# Measures what enqueues jobs.
def enqueued(jobs)
  before = counters
  from = nanos
  yield
  took = nanos - from
  {jobs: jobs, nanos: took}.merge(since(before))
end

def quantiles(waits)
  sorted = waits.sort
  at = ->(share) { sorted[[sorted.size - 1, (share * sorted.size).floor].min] }
  {samples: sorted.size, p50_nanos: at[0.5], p99_nanos: at[0.99], max_nanos: sorted.last, mean_nanos: sorted.sum / sorted.size}
end

def drain(jobs, concurrency, bytes)
  work_off(jobs, concurrency, 0, bytes)
end

def work(jobs, concurrency, millis, bytes)
  bare = Tally.new(jobs, millis)
  in_threads(concurrency, jobs) { bare.ran }
  work_off(jobs, concurrency, millis, bytes).merge(millis: millis, bare_nanos: bare.took)
end

def enqueue_single(jobs, threads, bytes)
  same = arguments(bytes)
  enqueued(jobs) { in_threads(threads, jobs) { Work.perform_async(*same) } }.merge(threads: threads)
end

def enqueue_bulk(jobs, bytes)
  same = arguments(bytes)
  enqueued(jobs) { enqueue_in_bulk(jobs, same) }
end

# What a fresh process does in its first seconds: it starts workers and enqueues in bulk whenever few jobs wait.
def cold(seconds, concurrency, bytes)
  begun = nanos
  same = arguments(bytes)
  enqueued = 0
  tally = Tally.new(-1)
  with_workers(concurrency, tally) do
    in_first_second, = [1, seconds].map do |until_second|
      while nanos < begun + until_second * 1_000_000_000
        if enqueued - tally.count < 5000
          enqueue_in_bulk(1000, same)
          enqueued += 1000
        else
          sleep(0.001)
        end
      end
      tally.count
    end
    {jobs: tally.count, nanos: nanos - begun, first_second: in_first_second}
  end
end

def latency(samples, concurrency, bytes)
  same = arguments(bytes)
  first = 100
  tally = Tally.new(first + samples)
  called = []
  cost = {}
  with_workers(concurrency, tally) do
    before = {}
    (first + samples).times do |id|
      before = counters if id == first
      sleep(rand(0.005..0.010))
      called[id] = nanos
      Work.perform_async(same[0], id, same[2])
    end
    tally.await(120)
    cost = since(before)
  end
  quantiles((first...first + samples).map { |id| tally.entered[id] - called[id] }).merge(jobs: samples, concurrency: concurrency).merge(cost)
end

def due(jobs, concurrency, bytes)
  tally = Tally.new(jobs)
  with_workers(concurrency, tally) do
    ahead = 3 + jobs / 5000.0
    at = Time.now.to_f + ahead
    due_at = nanos + (ahead * 1e9).round
    jobs.times.each_slice(1000) do |ids|
      Sidekiq::Client.push_bulk("class" => Work, "args" => ids.map { |id| arguments(bytes, id) }, "at" => at)
    end
    raise "it took too long to schedule #{jobs} jobs" if nanos > due_at
    tally.await(120)
    {jobs: jobs, concurrency: concurrency, ran: tally.count, first_nanos: tally.entered.values.min - due_at, nanos: tally.ended_at - due_at}
  end
end

def lateness(samples, concurrency, bytes)
  tally = Tally.new(samples)
  due_at = {}
  with_workers(concurrency, tally) do
    ahead = 2.0
    begun, begun_nanos = Time.now.to_f, nanos
    samples.times do |id|
      due_at[id] = begun_nanos + (ahead * 1e9).round
      Work.perform_at(begun + ahead, *arguments(bytes, id))
      ahead += rand(0.061..0.211)
    end
    tally.await(120)
  end
  quantiles(tally.entered.map { |id, at| at - due_at[id] }).merge(concurrency: concurrency)
end

# The last number of each is the size of the jobs' arguments.
COMMANDS = {
  "drain" => 3, "work" => 4, "enqueue-single" => 3, "enqueue-bulk" => 2, "latency" => 3, "due" => 3, "lateness" => 3, "cold" => 3
}.freeze

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

yjit = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? "with" : "without"
answer(driver: "Sidekiq #{Sidekiq::VERSION}, Ruby #{RUBY_VERSION} #{yjit} YJIT, worker processes: #{PROCESSES}, logging of jobs off, the poller's first wait left out")
while (line = lines.pop)
  $busy = true
  answer(perform(line))
  $busy = false
end
