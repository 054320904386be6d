/**
 * A server from its start to its end, during which it is a primary at most once, and the database of the connection: the
 * folder of its tables has its number, which costs less than to look that up by the name.
 */
export const SERVER = `((extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
  # hashtextextended(rtrim(pg_relation_filepath('pg_catalog.pg_class'), '0123456789'), 0))`;

export const ASK_SERVER = `SELECT (${SERVER})::text AS server`;
