# frozen_string_literal: true

require_relative "values"

# The jobs. Java has some of the same names.
module Interop
  # What was performed, in a file: a line is one write, so that several threads can share it.
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

  # Says whether the value is what it should be, big or small, integer or float.
  class Value
    include Sidekiq::Job

    def perform(name, value)
      expected = VALUES.fetch(name)
      Interop.journal.note(self, value.eql?(expected) ? "as expected" : "#{value.inspect} instead of #{expected.inspect}")
    end
  end

  # Says what it was given.
  class Note
    include Sidekiq::Job

    def perform(*arguments)
      Interop.journal.note(self, arguments)
    end
  end

  # Says what it was given, and isn't known to Java.
  class RubyOnly < Note
  end

  # Takes its time, so that other workers get some, too.
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

  # Counts, a number at a time, and says what else becomes of it. Sidekiq has such jobs from 7.3 on.
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

  # Runs until there is a file.
  class Wait
    include Sidekiq::Job

    def perform(file)
      sleep 0.02 until File.exist?(file)
      Interop.journal.note(self, file)
    end
  end
end
