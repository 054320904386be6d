import { NestFactory } from '@nestjs/core';
import { buildDocument, documentJson } from './api/document/build-document.js';
import { AppModule } from './app.module.js';
import { Clock } from './common/clock.js';
import { Config } from './common/config.js';
import { createLogger } from './common/log.js';
import { runCommand } from './database/command.js';
import { writeOrCheck } from './generated-files.js';
import { createAdapter } from './http/adapter.js';

await runCommand(async () => {
  const config = Object.assign(new Config(), { logLevel: 'silent' });
  const module = AppModule.forRoot(config, new Clock(), []);
  // Never initialised, so nothing connects.
  const app = await NestFactory.create(module, createAdapter(createLogger(config), config), { logger: false });
  return writeOrCheck({ 'openapi.json': documentJson(buildDocument(app)) });
});
