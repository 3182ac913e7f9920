# frozen_string_literal: true

# Loaded by `sidekiq -r` for a worker that also fires recurring jobs.
require_relative "worker"
require "sidekiq-cron"

Sidekiq::Cron.configure do |config|
  config.cron_poll_interval = 1
end
