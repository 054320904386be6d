import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeysService } from './auth/keys.service.js';
import { API_PREFIX } from './common/api-prefix.js';
import { Config } from './common/config/config.js';

/** Tells whoever started the service where it is: a person on the embedded database, the log otherwise. */
export async function announceAddress(app: NestFastifyApplication): Promise<void> {
  const origin = await originOf(app);
  const where = `The animal store listens at ${origin}${API_PREFIX} and explains itself at ${origin}/docs`;
  if (app.get(Config).databaseUrl) app.getHttpAdapter().getInstance().log.info(where);
  else say(where);
}

/** The first start on the embedded database issues a key, with a request to paste. */
export async function offerKey(app: NestFastifyApplication): Promise<void> {
  if (app.get(Config).databaseUrl) return;
  const keys = app.get(KeysService);
  if (await keys.hasAny()) {
    say('To make another API key, stop the service and run: npm run keys -- issue --name me');
    return;
  }
  const { key, expiresAt } = await keys.issue({ name: 'development' });
  say(`A key for development, shown this once (it expires on ${expiresAt.toISOString().slice(0, 10)}):`);
  say(`  ${key}`);
  say('Try it:');
  say(`  curl -i -H 'Authorization: Bearer ${key}' ${await originOf(app)}${API_PREFIX}/pets`);
}

async function originOf(app: NestFastifyApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost').replace('0.0.0.0', 'localhost');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
