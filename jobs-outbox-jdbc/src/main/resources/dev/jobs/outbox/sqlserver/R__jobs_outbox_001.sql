if object_id('jobs_outbox') is null create table jobs_outbox (
  id bigint identity primary key,
  lane smallint not null,
  slice bigint,
  queue nvarchar(128) not null,
  due nvarchar(32),
  jid nvarchar(255) not null,
  payload varbinary(max) not null,
  created bigint not null,
  index jobs_outbox_next (lane, slice, id)
);
if object_id('jobs_outbox_lane') is null create table jobs_outbox_lane (
  lane smallint primary key,
  source nvarchar(16) not null,
  number bigint not null
);
