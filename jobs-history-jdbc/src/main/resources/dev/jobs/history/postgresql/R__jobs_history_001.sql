create table if not exists jobs_task (
  id varchar(16) primary key,
  name varchar(200) not null,
  description varchar(1000),
  created_by varchar(200),
  parent varchar(16),
  state varchar(12) not null,
  total bigint not null,
  waiting bigint not null,
  retrying bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  dead bigint not null,
  skipped bigint not null,
  lost bigint not null,
  created_at timestamp(3) not null,
  finished_at timestamp(3),
  version varchar(200) not null,
  copying varchar(200),
  copied_to bigint,
  copied varchar(200),
  look_at timestamp(3),
  pause bigint not null
);
create index if not exists jobs_task_created on jobs_task (created_at, id);
create index if not exists jobs_task_state on jobs_task (state, created_at, id);
create index if not exists jobs_task_owner on jobs_task (created_by, created_at, id);
create index if not exists jobs_task_parent on jobs_task (parent, created_at, id);
create index if not exists jobs_task_name on jobs_task (name, created_at, id);
create index if not exists jobs_task_look on jobs_task (look_at);
create table if not exists jobs_task_tag (
  task_id varchar(16) not null,
  tag varchar(100) not null,
  primary key (task_id, tag)
);
create index if not exists jobs_task_tag_tag on jobs_task_tag (tag, task_id);
create table if not exists jobs_event (
  job_id varchar(255) primary key,
  task_id varchar(16),
  idx bigint,
  job varchar(200) not null,
  queue varchar(128) not null,
  status varchar(16) not null,
  params text,
  messages text,
  result text,
  error_class varchar(300),
  attempts integer not null,
  created_at timestamp(3) not null,
  started_at timestamp(3),
  ended_at timestamp(3)
);
create index if not exists jobs_event_task on jobs_event (task_id, idx);
create index if not exists jobs_event_task_status on jobs_event (task_id, status, idx);
create index if not exists jobs_event_task_ended on jobs_event (task_id, ended_at, job_id);
create index if not exists jobs_event_created on jobs_event (created_at, job_id);
create index if not exists jobs_event_status on jobs_event (status, created_at, job_id);
create index if not exists jobs_event_job on jobs_event (job, created_at, job_id);
create index if not exists jobs_event_messages on jobs_event using gin (to_tsvector('simple', messages)) where messages is not null;
