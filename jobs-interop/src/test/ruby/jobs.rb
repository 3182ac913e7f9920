# frozen_string_literal: true

require_relative "values"

# The jobs. Java has some of the same names.
module Interop
  # Records executions in a file: each line is one write, so that several threads can share it.
  class Journal
    def initialize(path)
      @file = File.open(path, "a")
      @file.sync = true
    end

    def note(job, what)
      @file.write("#{JSON.generate({"jid" => job.jid, "class" => job.class.name, "what" => what})}\n")
    end
  end

  def self.journal
    @journal ||= Journal.new(ENV.fetch("INTEROP_JOURNAL"))
  end

  # Notes whether the value is the expected one, big or small, integer or float.
  class Value
    include Sidekiq::Job

    def perform(name, value)
      expected = VALUES.fetch(name)
      Interop.journal.note(self, value.eql?(expected) ? "as expected" : "#{value.inspect} instead of #{expected.inspect}")
    end
  end

  # Notes its argument.
  class Note
    include Sidekiq::Job

    def perform(*arguments)
      Interop.journal.note(self, arguments)
    end
  end

  # Notes its argument; unknown to Java.
  class RubyOnly < Note
  end

  # Takes a moment, so that other workers get some jobs, too.
  class Brief
    include Sidekiq::Job

    def perform(number)
      sleep 0.002
      Interop.journal.note(self, number)
    end
  end

  # Fails.
  class Fail
    include Sidekiq::Job

    sidekiq_retry_in { 3600 }

    def perform(*arguments)
      Interop.journal.note(self, arguments)
      raise "Ruby can't do this: é😀"
    end
  end

  # Fails; Java says when it is retried there.
  class Ruled < Fail
  end

  # Counts, one number at a time, and notes its events. Sidekiq has such jobs since 7.3.
  if defined?(Sidekiq::IterableJob)
    class Count
      include Sidekiq::IterableJob

      def build_enumerator(count, cursor:) = array_enumerator((0...count).to_a, cursor: cursor)

      def each_iteration(number, _count)
        Interop.journal.note(self, number)
        sleep 0.02
      end

      def on_resume = Interop.journal.note(self, "resumed")

      def on_cancel = Interop.journal.note(self, "cancelled")

      def on_complete = Interop.journal.note(self, "complete")
    end
  end

  # Runs until a file exists.
  class Wait
    include Sidekiq::Job

    def perform(file)
      sleep 0.02 until File.exist?(file)
      Interop.journal.note(self, file)
    end
  end
end
