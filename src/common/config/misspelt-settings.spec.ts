import { describe, expect, it } from '@jest/globals';
import './config.js';
import { misspeltSettings } from './misspelt-settings.js';

describe('misspeltSettings', () => {
  it('reports every unknown name of the file, with the setting that was probably meant', () => {
    const names = [
      'PORT',
      'RATE_LIMIT_PERKEY',
      'database_url',
      'SOMETHING_ELSE',
      'DATABASE_URL_FILE',
      'OTEL_X',
    ];
    expect(misspeltSettings(names, [])).toEqual([
      'RATE_LIMIT_PERKEY has no effect: no setting has this name. Did you mean RATE_LIMIT_PER_KEY?',
      'database_url has no effect: no setting has this name. Did you mean DATABASE_URL?',
      'SOMETHING_ELSE has no effect: no setting has this name.',
    ]);
  });

  it('reports only close names elsewhere in the environment, and each name once', () => {
    expect(misspeltSettings(['PROT'], ['PROT', 'PATH', 'HOME', 'METRICS_PROT', 'PORT', 'HOSTNAME'])).toEqual([
      'PROT has no effect: no setting has this name. Did you mean PORT?',
      'METRICS_PROT has no effect: no setting has this name. Did you mean METRICS_PORT?',
    ]);
  });
});
