import { expect, it } from '@jest/globals';
import { Availability } from './availability.js';
import { dataSourceOptions } from './data-source-options.js';

it('Connections for transactions stay open while they are idle', () => {
  const url = 'postgres://127.0.0.1:1/nowhere';
  const connection = { kind: 'server', url, directUrl: url, poolSize: 12, preparedStatements: true } as const;
  const { extra } = dataSourceOptions(connection, new Availability()) as { extra: object };
  expect(extra).toMatchObject({ idleTimeoutMillis: 0 });
});
