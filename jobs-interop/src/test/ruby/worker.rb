# frozen_string_literal: true

# Loaded by `sidekiq -r`.
require_relative "libraries"
require_relative "jobs"
require_relative "orphan"

Sidekiq.configure_server do |config|
  options = config.is_a?(Module) ? config.options : config # a separate configuration exists since Sidekiq 7
  options[:poll_interval_average] = Float(ENV.fetch("INTEROP_POLL"))
  options[:labels] = ["reliable"]
end
