import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeysService } from './auth/keys.service.js';
import { dayOf } from './common/clock.js';
import { API_PREFIX, Config } from './common/config.js';

/** Says the address: to the terminal on the embedded database, else in the log. */
export async function announceAddress(app: NestFastifyApplication): Promise<void> {
  const origin = await originOf(app);
  const message = `The animal store listens at ${origin}${API_PREFIX}; documentation: ${origin}/docs`;
  if (app.get(Config).databaseUrl) app.getHttpAdapter().getInstance().log.info(message);
  else print(message);
}

/** The first start on the embedded database issues a key, and prints a request to paste. */
export async function offerDevelopmentKey(app: NestFastifyApplication): Promise<void> {
  if (app.get(Config).databaseUrl) return;
  const keys = app.get(KeysService);
  if (await keys.hasAny()) return print('To issue another API key, run: npm run keys -- issue --name me');
  const { key, expiresAt } = await keys.issue({ name: 'development' });
  print(`An API key for development, shown only once (expires on ${dayOf(expiresAt)}):`);
  print(`  ${key}`);
  print('Try it:');
  print(`  curl -i -H 'Authorization: Bearer ${key}' ${await originOf(app)}${API_PREFIX}/pets`);
}

async function originOf(app: NestFastifyApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost').replace('0.0.0.0', 'localhost');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
