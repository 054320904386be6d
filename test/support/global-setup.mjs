import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the folder of the database server that all test files share. The first that needs it starts it there. */
export default async function nameServerFolder() {
  process.env.TZ = 'America/New_York'; // what depends on it would show days of UTC wrongly
  process.env.TEST_SERVER_FOLDER ??= await mkdtemp(join(tmpdir(), 'animal-store-tests-'));
}
