/**
 * A schema in the manner of a shop that rents films. It has domains over domains, enum types, arrays, a trigger,
 * partitions, heirs and a cycle of references. Its views call functions, and one is materialized.
 */
export const RENTALS = `
create domain whole_year as integer check (value between 1901 and 2155);
create domain film_year as whole_year check (value > 1910);
create type audience as enum ('G', 'PG', 'PG-13', 'R', 'NC-17');

create table tongue (tongue_id smallserial primary key, name char(20) not null, last_update timestamptz not null default now());
create table genre (genre_id serial primary key, name varchar(25) not null, last_update timestamptz not null default now());
create table town (town_id serial primary key, name text not null, last_update timestamptz not null default now());
create table place (
  place_id serial primary key, line text not null, line2 text, town_id integer not null references town on update cascade on delete restrict,
  phone text not null, at point, last_update timestamptz not null default now()
);
create table movie (
  movie_id serial primary key, title varchar(255) not null, description text, release_year film_year, seen_in film_year[],
  tongue_id smallint not null references tongue, first_tongue_id smallint references tongue,
  rental_days smallint not null default 3, rate numeric(4, 2) not null default 4.99, length smallint, cost numeric(5, 2) not null default 19.99,
  audience audience default 'G', last_update timestamptz not null default now(), extras text[], words tsvector not null
);
create index on movie using gin (extras);
create index on movie using gist (words);
create trigger movie_words before insert or update on movie for each row
  execute function tsvector_update_trigger('words', 'pg_catalog.english', 'title', 'description');
create table player (player_id serial primary key, first_name varchar(45) not null, last_name varchar(45) not null);
create table movie_player (
  player_id integer references player, movie_id integer references movie on delete cascade,
  last_update timestamptz not null default now(), primary key (player_id, movie_id)
);
create table movie_genre (movie_id integer references movie, genre_id integer references genre, primary key (movie_id, genre_id));

create table person (person_id serial primary key, first_name text not null, last_name text not null, place_id integer references place);
create table client (active boolean not null default true, since date not null default current_date, mail text, primary key (person_id))
  inherits (person);
create table branch (branch_id serial primary key, manager_id integer not null unique, place_id integer not null references place);
create table clerk (
  clerk_id serial primary key, branch_id integer not null references branch deferrable initially deferred, login text not null,
  picture bytea, last_update timestamptz not null default now()
);
alter table branch add foreign key (manager_id) references clerk deferrable initially deferred;

create table copy (copy_id bigserial primary key, movie_id integer not null references movie, branch_id integer not null references branch);
create index on copy (branch_id, movie_id);
create table rental (
  rental_id serial primary key, span tstzrange not null, copy_id bigint not null references copy, client_id integer not null references client,
  clerk_id integer not null references clerk, unique (span, copy_id, client_id)
);
create table payment (
  payment_id bigserial, client_id integer not null, clerk_id integer not null references clerk, rental_id integer references rental,
  amount numeric(5, 2) not null, paid_at timestamptz not null, primary key (paid_at, payment_id)
) partition by range (paid_at);
create table payment_p1 partition of payment for values from ('2022-01-01 00:00+00') to ('2022-02-01 00:00+00');
create table payment_p2 partition of payment for values from ('2022-02-01 00:00+00') to ('2022-03-01 00:00+00') partition by hash (payment_id);
create table payment_p2_one partition of payment_p2 for values with (modulus 2, remainder 0);
create table payment_p2_two partition of payment_p2 for values with (modulus 2, remainder 1);
create table payment_rest partition of payment default;

create function list_up(text, text) returns text language sql immutable as $$ select case when $1 = '' then $2 else $1 || ', ' || $2 end $$;
create aggregate join_texts(text) (sfunc = list_up, stype = text, initcond = '');
create function in_stock(wanted integer) returns setof bigint language sql stable as
  $$ select copy_id from copy where movie_id = wanted and not exists (select from rental where rental.copy_id = copy.copy_id and upper_inf(span)) $$;
create view movie_list as select m.movie_id as fid, m.title, g.name as genre, m.rate as price, join_texts(p.first_name || ' ' || p.last_name order by p.player_id) as players
  from movie as m left join movie_genre using (movie_id) left join genre as g using (genre_id)
  left join movie_player using (movie_id) left join player as p using (player_id) group by m.movie_id, m.title, g.name, m.rate;
create view stock as select m.movie_id, c.copy_id from movie as m, lateral in_stock(m.movie_id) as c(copy_id);
create view clients as select person_id as id, first_name || ' ' || last_name as name, case when active then 'active' else '' end as notes from client;
create materialized view sales as select g.name as genre, sum(p.amount) as total, now() as as_of
  from payment as p join rental using (rental_id) join copy using (copy_id) join movie_genre using (movie_id) join genre as g using (genre_id) group by g.name;

insert into tongue (name) values ('English'), ('Deutsch');
insert into genre (name) values ('Action'), ('Drama');
insert into town (name) values ('Lund'), ('Łódź');
insert into place (line, town_id, phone, at) select 'Street ' || i, 1 + i % 2, '', point(i, i) from generate_series(1, 9) as i;
insert into movie (title, description, release_year, seen_in, tongue_id, first_tongue_id, length, audience, extras, rate)
  select 'FILM ' || i % 40, case when i % 3 > 0 then 'A story of ' || i end, 1950 + i % 60, array[1950 + i % 60, null]::film_year[], 1 + i % 2,
    case when i % 5 = 0 then 2 end, case when i % 4 > 0 then 40 + i % 90 end, (enum_range(null::audience))[1 + i % 5],
    case i % 3 when 0 then null when 1 then array['Trailers', null] else '{}' end, 0.99 + i % 5 from generate_series(1, 70) as i;
insert into player (first_name, last_name) select 'First' || i, 'Last' || i % 7 from generate_series(1, 50) as i;
insert into movie_player (player_id, movie_id) select p, m from generate_series(1, 50) as p, generate_series(1, 70) as m where (p * m) % 31 = 0;
insert into movie_genre select i, 1 + i % 2 from generate_series(1, 70) as i;
insert into client (first_name, last_name, place_id, active, mail) select 'Ann' || i, 'Doe', 1 + i % 9, i % 3 > 0, 'c' || i || '@example.com' from generate_series(1, 30) as i;
begin;
insert into branch (manager_id, place_id) values (1, 1), (2, 2);
insert into clerk (branch_id, login, picture) values (1, 'Mike', '\\x89504e47'), (2, 'Jon', null);
commit;
insert into copy (movie_id, branch_id) select 1 + i % 70, 1 + i % 2 from generate_series(1, 80) as i;
insert into rental (span, copy_id, client_id, clerk_id) select tstzrange('2022-01-01'::timestamptz + i * interval '7 hours', case when i % 5 > 0 then '2022-04-01'::timestamptz end),
  1 + i % 80, 1 + i % 30, 1 + i % 2 from generate_series(1, 70) as i;
insert into payment (client_id, clerk_id, rental_id, amount, paid_at)
  select 1 + i % 30, 1 + i % 2, 1 + i % 70, 0.99 + i % 9, '2022-01-15 00:00:00.000001+00'::timestamptz + i / 3 * interval '9 hours' from generate_series(0, 149) as i;
refresh materialized view sales;
`;

/** The resources of the views of {@link RENTALS}, which have no key of their own. */
export const RENTALS_VIEWS = `
  movie_lists: { table: public.movie_list, key: fid, schema: { type: object, properties: { title: { type: string }, price: { type: string, format: decimal }, players: { type: string } } } }
  stocks: { table: public.stock, key: copy_id, schema: { type: object, properties: { movie_id: { type: string, x-references: { resource: movies } } } } }
  client_names: { table: public.clients, key: id, schema: { type: object, properties: { name: { type: string }, notes: { type: string } } } }
  sales: { table: public.sales, key: genre, schema: { type: object, properties: { total: { type: string, format: decimal }, as_of: { type: string, format: date-time } } } }
`;

/**
 * A schema in the manner of a shop that sells food. It has names with capitals and spaces, reserved words, and columns
 * with the names of members of the API. Some tables have no key. There are deferred constraints, computed columns and
 * rules.
 */
export const TRADE = `
create schema "Food Trade";
set search_path = "Food Trade";
create table "Customers" (
  "CustomerID" char(5) primary key, "CompanyName" varchar(40) not null, "Contact Name" varchar(30), "Fax" varchar(24) collate "C"
);
create table "order" (
  id integer generated always as identity primary key, "user" char(5) references "Customers", "select" date, links text, revision integer not null default 7,
  created_at timestamp not null, updated_at timestamptz, "data" jsonb, "Ship Via" smallint, "self" text, page text, "where" boolean
);
create table "Products" (
  "ProductID" smallint primary key, "ProductName" varchar(40) not null, "Unit Price" real, "UnitsInStock" smallint not null default 0,
  "Discontinued" integer not null, "Value" double precision generated always as ("Unit Price" * "UnitsInStock") stored, "Weight (kg)" numeric
);
create table "Order Details" (
  "OrderID" integer references "order" deferrable initially deferred, "ProductID" smallint references "Products" deferrable,
  "Quantity" smallint not null check ("Quantity" > 0), "Discount" real not null default 0, primary key ("OrderID", "ProductID")
);
create table "user" (id text primary key, "user" text unique, "group" text, "order" integer unique references "order" deferrable initially deferred);
create table "Employees" (
  "EmployeeID" smallint primary key, "ReportsTo" smallint references "Employees", "Photo" bytea, "Notes" text, "Birth Date" date, "Hired?" boolean
);
create table "Region Codes" (code text, "Description" char(50));
create table "Logins" ("Who" text, "When" timestamptz);
create table "Weird.Name/% Ö" ("a/b" text, "c,d" integer, "e\\f" text, primary key ("a/b", "c,d"));
create table "Archive" (like "order" including all);
create rule keep as on delete to "order" do also insert into "Logins" values ('deleted', now());
create rule hidden as on update to "Products" where new."Discontinued" > 1 do instead nothing;
create view "Current Products" as select "ProductID", "ProductName" from "Products" where "Discontinued" = 0;
create rule sold as on insert to "Current Products" do instead insert into "Products" ("ProductID", "ProductName", "Discontinued") values (new."ProductID", new."ProductName", 0);

insert into "Customers" select 'C' || lpad(i::text, 2 + i % 3, '0'), 'Company ' || i, nullif('Contact ' || i % 4, 'Contact 0'), null from generate_series(1, 25) as i;
insert into "order" ("user", "select", links, created_at, updated_at, "data", "Ship Via", "where")
  select (select min("CustomerID") from "Customers" where "CompanyName" = 'Company ' || (1 + i % 25)), date '1996-07-04' + i / 4, 'link ' || i, timestamp '1996-07-04' + i / 4 * interval '1.5 seconds',
    case when i % 3 > 0 then timestamptz '1997-01-01' + i * interval '1 microsecond' end, jsonb_build_object('n', i, 'list', array[i, null]), i % 3, i % 2 = 0 from generate_series(1, 90) as i;
insert into "Products" ("ProductID", "ProductName", "Unit Price", "UnitsInStock", "Discontinued", "Weight (kg)")
  select i, 'Product ' || i % 10, case when i % 7 > 0 then i * 1.1 end, i % 5, i % 2, case i % 4 when 0 then 'NaN' when 1 then i / 8.0 end
  from generate_series(1, 60) as i;
insert into "Order Details" select o, p, 1 + o % 9, 0.05 from generate_series(1, 90) as o, generate_series(1, 60) as p where (o + p) % 23 = 0;
insert into "user" select 'user/' || i || ',x', 'name ' || i, null, i from generate_series(1, 12) as i;
insert into "Employees" values (2, null, null, null, null, true), (1, 2, '\\x00ff', 'first', '1948-12-08', false), (3, 2, '', '', 'infinity', null);
insert into "Region Codes" values ('N', 'North'), ('S', 'South');
insert into "Logins" values ('a', now()), ('a', now());
insert into "Weird.Name/% Ö" select 'k' || i % 3 || '/%,\\', i, null from generate_series(1, 20) as i;
insert into "Archive" (created_at) values (now()), (now());
`;

/** The resources of the views and tables of {@link TRADE} that have no key of their own. */
export const TRADE_VIEWS = `
  current_products: { table: Food Trade.Current Products, key: ProductID, columns: { name: ProductName }, schema: { type: object, properties: { name: { type: string } } } }
`;
