import pg from 'pg';

// Keeps int8 exact like the service; numbers would round beyond 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** Named statements are prepared once per connection. */
const prepared = (name, text) => async (values) => (await pool.query({ name, text, values })).rows;

const COLUMNS = 'id, name, category_id AS "categoryId", status';

export const findKey = prepared('key', 'SELECT name, expires_at, revoked_at FROM api_keys WHERE hash = $1');
export const findPage = prepared('page', `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`);
export const findPageByStatus = prepared(
  'page-by-status',
  `SELECT ${COLUMNS} FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2`,
);
export const findOne = prepared('one', `SELECT ${COLUMNS} FROM pets WHERE id = $1`);
export const insert = prepared(
  'insert',
  `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
);
