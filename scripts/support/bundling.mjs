/** Optional packages that Nest and TypeORM load if they are installed. */
const OPTIONAL = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/mongoose',
  '@nestjs/platform-express',
  '@fastify/static',
  '@fastify/view',
  '@fastify/multipart',
  '@fastify/cookie',
  '@google-cloud/spanner',
  '@sap/hana-client',
  'better-sqlite3',
  'class-transformer/storage',
  'expo-sqlite',
  'ioredis',
  'mongodb',
  'mssql',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'react-native-sqlite-storage',
  'redis',
  'sql.js',
  'sqlite3',
  'typeorm-aurora-data-api-driver',
];

/** The globals that CommonJS packages expect. */
const COMMON_JS = `
import { createRequire as requireFrom } from 'node:module';
import { dirname as folderOf } from 'node:path';
import { fileURLToPath as pathOf } from 'node:url';
const require = requireFrom(import.meta.url), __filename = pathOf(import.meta.url), __dirname = folderOf(__filename);`;

/** Common esbuild options. */
export const bundling = {
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: { js: COMMON_JS },
  logLevel: 'warning',
};

/** Packages to leave out of bundles: optional ones, and those with assets. */
export const external = (...more) =>
  [...OPTIONAL, '@electric-sql/pglite', 'swagger-ui-dist', ...more].flatMap((name) => [name, `${name}/*`]);
