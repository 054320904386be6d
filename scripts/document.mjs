// Writes openapi.json from the controllers; with --check, fails if it is out of date. Needs `npm run build`.
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { writeOrCheck } from './support/generated.mjs';

const { buildDocument, documentJson } = await import('../dist/api/document/build-document.js');
const { AppModule } = await import('../dist/app.module.js');
const { Clock } = await import('../dist/common/clock.js');
const { Config } = await import('../dist/common/config.js');
const { createAdapter } = await import('../dist/http/adapter.js');

const config = new Config();
const module = AppModule.forRoot(config, new Clock(), []);
const app = await NestFactory.create(module, createAdapter(pino({ level: 'silent' }), config), { logger: false });
writeOrCheck('openapi.json', documentJson(buildDocument(app)), 'npm run openapi'); // never initialised, so nothing connects
