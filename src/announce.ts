import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeysService } from './auth/keys.service.js';
import { Config } from './common/config/config.js';
import { Database } from './database/database.js';

/** Tells whoever started the service how to use it; the first start on the embedded database includes a key. */
export async function announce(app: NestFastifyApplication): Promise<void> {
  const origin = (await app.getUrl()).replace('[::1]', 'localhost');
  const config = app.get(Config);
  say(`The animal store listens at ${origin}/v1 and explains itself at ${origin}/docs`);
  if (config.databaseUrl) return;

  await app.get(Database).whenReady();
  const keys = app.get(KeysService);
  if (await keys.hasAny()) {
    say('To make another API key, stop the service and run: npm run keys -- issue --name me');
    return;
  }
  const { key, expiresAt } = await keys.issue('development');
  say(`A key for development, shown this once (it expires on ${expiresAt.toISOString().slice(0, 10)}):`);
  say(`  ${key}`);
  say('Try it:');
  say(`  curl -i -H 'Authorization: Bearer ${key}' ${origin}/v1/pets`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
