import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { root } from '../scripts/support/root.mjs';
import { bearer, httpClient } from './support/http.mjs';
import { query, startPostgres } from './support/postgres.mjs';
import { issueKeys, startService } from './support/service.mjs';

export const hasShortForm = true;
export const title = 'the service serves as a role that owns only its schema, and as one that owns nothing';

const PASSWORD = 'only-for-this-drill';
const REFUSED = '42501';

/** Owned by the role of the service, besides the schema and what is in it. */
const OTHER_POSSESSIONS = `
  SELECT classid::regclass, objid FROM pg_shdepend
  WHERE refobjid = 'animal_store'::regrole AND deptype = 'o'
    AND classid NOT IN ('pg_class'::regclass, 'pg_namespace'::regclass)`;
const SCHEMAS = `SELECT nspname FROM pg_namespace WHERE nspowner = 'animal_store'::regrole`;
const POWERS = `
  SELECT FROM pg_roles
  WHERE rolname ~ '^animal_store'
    AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)`;
const LATER_TABLE = 'CREATE TABLE later (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)';

export async function run(drill) {
  const cluster = await startPostgres(drill);
  const tools = { ...process.env, PATH: `${postgresBinaries()}:${process.env.PATH}` };
  const at = (role, password = PASSWORD) => {
    const url = Object.assign(new URL(cluster.url), { pathname: '/animal_store' });
    return (role ? Object.assign(url, { username: role, password }) : url).href;
  };
  execFileSync(join(root, 'docker', 'create-database.sh'), [cluster.url], {
    env: { ...tools, ANIMAL_STORE_PASSWORD: PASSWORD },
  });

  const settings = { DATABASE_URL: at('animal_store'), KEY_ENVIRONMENT: 'test' };
  const service = await startService(drill, settings);
  await serves(drill, service, settings, 'one role');
  drill.expect(
    'the role of the service has no privileges of the server',
    !(await query(at(), POWERS)).length,
  );
  drill.expect('it owns one schema', (await query(at(), SCHEMAS)).length === 1);
  drill.expect('it owns nothing outside of it', !(await query(at(), OTHER_POSSESSIONS)).length);
  await service.stop();

  drill.progress('migrations get a role of their own');
  const file = join(root, 'docker', 'migration-role.sql');
  const args = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--set=password=${PASSWORD}`];
  execFileSync('psql', [...args, `--file=${file}`, at()], { env: tools });
  const two = { ...settings, DATABASE_DIRECT_URL: at('animal_store_migrations') };
  await serves(drill, await startService(drill, two), two, 'two roles');
  for (const statement of ['DROP TABLE pets', 'CREATE TABLE more ()', 'ALTER TABLE pets ADD more text'])
    drill.expect(
      `the service may not ${statement}`,
      (await codeOf(at('animal_store'), statement)) === REFUSED,
    );
  await query(two.DATABASE_DIRECT_URL, LATER_TABLE);
  const inserted = await codeOf(at('animal_store'), `INSERT INTO later (name) VALUES ('x')`);
  drill.expect('the service uses the tables of later migrations', inserted === undefined);

  drill.progress('a dump is restored');
  const page = await readFile(join(root, 'docs', 'operating.md'), 'utf8');
  const [commands] = /(?<=```sh\n)pg_dump .*?(?=```)/s.exec(page);
  const shell = { cwd: cluster.folder, env: { ...tools, SUPERUSER_URL: cluster.url } };
  execFileSync('sh', ['-euc', commands], { ...shell, stdio: ['ignore', 'ignore', 'inherit'] });
  const restored = Object.fromEntries(
    Object.entries(two).map(([name, value]) => [name, value.replace(/animal_store$/, 'restored')]),
  );
  await serves(drill, await startService(drill, restored), restored, 'restored');
  const rows = await query(restored.DATABASE_URL, 'SELECT FROM pets');
  drill.expect('the restored database has the animals of the dump', rows.length === 3);
  const created = await codeOf(restored.DATABASE_DIRECT_URL, 'CREATE TABLE more ()');
  drill.expect('the next migration can create its tables there', created === undefined);

  drill.progress('the migrations run on an empty schema');
  await query(at(), 'DROP TABLE later');
  for (const { name } of await query(
    at(),
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  ))
    await query(at(), `DROP TABLE ${name} CASCADE`);
  await serves(drill, await startService(drill, two), two, 'two roles from the start');
}

/** Every kind of statement: keys, animals, and orders with their transactions. */
async function serves(drill, { origin }, settings, what) {
  const [key] = await issueKeys(settings, 1);
  const { call } = httpClient(drill, origin, { timeoutMs: 10_000 });
  const send = async (method, path, body) => {
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const { status, text } = await call(method, path, { headers, body: body && JSON.stringify(body) });
    return { status, json: text ? JSON.parse(text) : undefined };
  };
  const pet = await send('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
  const order = await send('POST', '/v1/store/orders', { petId: pet.json?.id });
  const changed = await send('PATCH', `/v1/store/orders/${order.json?.id}`, { quantity: 2 });
  const deleted = await send('DELETE', `/v1/store/orders/${order.json?.id}`);
  const listed = await send('GET', '/v1/pets');
  const statuses = [pet, order, changed, deleted, listed].map(({ status }) => status).join(' ');
  drill.figure(what, statuses);
  drill.expect(`${what}: animals and orders are read and changed`, statuses === '201 201 200 204 200');
}

async function codeOf(url, statement) {
  return query(url, statement).then(
    () => undefined,
    ({ code }) => code,
  );
}
