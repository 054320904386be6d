#!/bin/sh
# The database and the role of the service, which owns its schema and nothing else. PostgreSQL's image runs this for a new
# volume. Elsewhere: ANIMAL_STORE_PASSWORD=… sh docker/create-database.sh postgres://postgres:…@host:5432/postgres
set -eu
: "${ANIMAL_STORE_PASSWORD:?}"
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "${1:-dbname=postgres}" <<'SQL'
\getenv password ANIMAL_STORE_PASSWORD
CREATE ROLE animal_store LOGIN PASSWORD :'password';
CREATE DATABASE animal_store;
\connect animal_store
ALTER SCHEMA public OWNER TO animal_store;
SQL
