/** A server from its start to its end. It is a primary at most once. */
export const SERVER = '(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint';
