# frozen_string_literal: true

# api.rb with sidekiq-cron.
require "json"
require "sidekiq-cron"

# More commands.
class Api
  def cron_create(attributes) = Sidekiq::Cron::Job.create(attributes)

  def cron_find(name) = Sidekiq::Cron::Job.find(name)&.to_hash

  def cron_names = Sidekiq::Cron::Job.all.map(&:name)

  def cron_errors(name) = Sidekiq::Cron::Job.all.find { |job| job.name == name }.tap(&:valid?).errors

  def cron_history(name) = Sidekiq::Cron::Job.find(name).jid_history_from_redis

  def cron_enqueue(name) = Sidekiq::Cron::Job.find(name).enqueue! && true

  def cron_enable(name, enabled) = Sidekiq::Cron::Job.find(name).public_send(enabled ? :enable! : :disable!)

  def cron_destroy(name) = Sidekiq::Cron::Job.destroy(name) && true

  # As a Ruby process does when it starts with a schedule file.
  def cron_load_schedule(jobs) = Sidekiq::Cron::Job.load_from_hash!(jobs, source: "schedule")

  # The last time before each of the given ones, for each cron text; null for an invalid text.
  def cron_previous(texts, seconds)
    texts.map do |text|
      cron = Fugit.parse_cron(text)
      cron && seconds.map { |each| cron.previous_time(EtOrbi::EoTime.new(each, "UTC")).to_i }
    rescue ArgumentError
      nil
    end
  end
end

require_relative "api"
