import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../scripts/support/run-child.mjs';
import { startService } from './support/service.mjs';
import { requireTool } from './support/tool.mjs';

export const title = 'the page at /docs works in a browser under its own Content-Security-Policy';

const OPERATIONS = ['listPets', 'createPet', 'getPet'];

export async function run(drill) {
  requireTool(drill, 'chromium');
  const folder = mkdtempSync(join(tmpdir(), 'docs-page-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { origin } = await startService(drill, { DATABASE_DIR: join(folder, 'database'), DATABASE_URL: '' });

  for (const operation of OPERATIONS) {
    drill.progress(`opening ${operation}`);
    const { page, log } = await browse(`${origin}/docs#/pets/${operation}`, join(folder, operation));
    const complaints = log.split('\n').filter((line) => line.includes(':CONSOLE'));
    drill.expect(
      `${operation} is shown, opened`,
      page.includes(`id="operations-pets-${operation}"`) && page.includes('opblock-body'),
    );
    drill.expect(`${operation}: nothing on the console ${complaints.join(' ')}`, complaints.length === 0);
  }
}

async function browse(url, profile) {
  const args = [
    '--headless',
    '--no-sandbox', // root cannot have one; the page is our own
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${profile}`,
    '--enable-logging=stderr',
    '--virtual-time-budget=8000',
    '--dump-dom',
    url,
  ];
  const quoted = ['chromium', ...args].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`).join(' ');
  // The page and the log apart: what is collected from a child is both.
  const command = `timeout 60 ${quoted} > '${profile}.html' 2> '${profile}.log'`;
  await runChild('sh', ['-c', command], { stdio: 'ignore' });
  return { page: readFileSync(`${profile}.html`, 'utf8'), log: readFileSync(`${profile}.log`, 'utf8') };
}
