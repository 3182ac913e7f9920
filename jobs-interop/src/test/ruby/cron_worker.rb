# frozen_string_literal: true

# What `sidekiq -r` loads to have a worker that fires recurring jobs, too.
require_relative "worker"
require "sidekiq-cron"

Sidekiq::Cron.configure do |config|
  config.cron_poll_interval = 1
end
