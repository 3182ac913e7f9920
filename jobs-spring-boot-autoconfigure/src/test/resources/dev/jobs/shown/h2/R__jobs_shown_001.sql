create table if not exists jobs_shown (id integer primary key);
