begin
  execute immediate 'create table jobs_task (
    id varchar2(16 char) primary key,
    name varchar2(200 char),
    description varchar2(1000 char),
    created_by varchar2(200 char),
    parent varchar2(16 char),
    state varchar2(12 char) not null,
    total number(19) not null,
    waiting number(19) not null,
    retrying number(19) not null,
    succeeded number(19) not null,
    failed number(19) not null,
    dead number(19) not null,
    skipped number(19) not null,
    lost number(19) not null,
    created_at timestamp(3) not null,
    finished_at timestamp(3),
    version varchar2(200 char),
    copying varchar2(200 char),
    copied_to number(19),
    copied varchar2(200 char),
    look_at timestamp(3),
    pause number(19) not null
  )';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_created on jobs_task (created_at, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_state on jobs_task (state, created_at, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_owner on jobs_task (created_by, created_at, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_parent on jobs_task (parent, created_at, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_name on jobs_task (name, created_at, id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_look on jobs_task (look_at)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create table jobs_task_tag (
    task_id varchar2(16 char) not null,
    tag varchar2(100 char) not null,
    primary key (task_id, tag)
  )';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_task_tag_tag on jobs_task_tag (tag, task_id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create table jobs_event (
    job_id varchar2(255 char) primary key,
    task_id varchar2(16 char),
    idx number(19),
    job varchar2(200 char),
    queue varchar2(128 char),
    status varchar2(16 char) not null,
    params clob,
    messages clob,
    result clob,
    error_class varchar2(300 char),
    attempts number(10) not null,
    created_at timestamp(3) not null,
    started_at timestamp(3),
    ended_at timestamp(3)
  )';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_task on jobs_event (task_id, idx)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_task_status on jobs_event (task_id, status, idx)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_task_ended on jobs_event (task_id, ended_at, job_id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_created on jobs_event (created_at, job_id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_status on jobs_event (status, created_at, job_id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
begin
  execute immediate 'create index jobs_event_job on jobs_event (job, created_at, job_id)';
exception
  when others then if sqlcode <> -955 then raise; end if;
end;
/
