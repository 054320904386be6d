#!/bin/sh
# The database and the role of the service, which owns its schema, and may create trusted extensions. PostgreSQL's image
# runs this for a new volume. Elsewhere: PGHOST=… PGUSER=postgres PGPASSWORD=… ANIMAL_STORE_PASSWORD=… sh docker/create-database.sh
set -eu
: "${ANIMAL_STORE_PASSWORD:?}"
if [ $# -gt 0 ]; then
  echo 'Everybody on this machine can read arguments: set PGHOST, PGUSER and PGPASSWORD instead.' >&2
  exit 1
fi
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname=postgres <<'SQL'
\getenv password ANIMAL_STORE_PASSWORD
CREATE ROLE animal_store LOGIN PASSWORD :'password';
CREATE DATABASE animal_store ENCODING 'UTF8' TEMPLATE template0;
GRANT CREATE ON DATABASE animal_store TO animal_store;
\connect animal_store
ALTER SCHEMA public OWNER TO animal_store;
SQL
