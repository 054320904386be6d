import { describe, expect, it } from '@jest/globals';
import type { Answer } from './client.js';
import { expectError } from './expectations.js';
import type { Service } from './service.js';

interface Input {
  path: string;
  /** A body that is taken, with all its members. */
  body: Readonly<Record<string, string | number | boolean>>;
  required: readonly string[];
}

/** What holds for every operation with a body: it takes one JSON object with its own members, and nothing else. */
export function itTakesAnObject(service: () => Service, { path, body, required }: Input): void {
  const text = JSON.stringify(body);
  const send = (sent: object | string, type?: string): Promise<Answer> =>
    service().post(path, sent, { headers: type === undefined ? {} : { 'content-type': type } });
  const about = (name: string) => expect.stringContaining(`"${name}"`);

  describe('takes one JSON object', () => {
    it.each([
      ['nothing', ''],
      ['something cut off', text.slice(0, -1)],
      ['two objects', text + text],
      ['a comma too many', text.replace(/\}$/, ',}')],
      ['a repeated key', text.replace(/^\{("\w+":)/, '{$1null,$1')],
      ['an array', `[${text}]`],
      ['null', 'null'],
      ['a form', 'name=x'],
    ])('and not %s', async (_, sent) => {
      expectError(await send(sent), 'invalid_json');
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
      'and not one declared as %s',
      async (type) => {
        expectError(await send(text, type), 'unsupported_media_type');
      },
    );

    it.each(['id', 'surprise', '__proto__'])('without a member that it does not know: %s', async (name) => {
      expectError(await send(text.replace('{', `{"${name}":1,`)), 'unknown_field', about(name));
    });

    it.each(required)('that has a %s', async (name) => {
      const { [name]: _, ...rest } = body;
      expectError(await send(rest), 'missing_field', about(name));
    });

    it.each(Object.keys(body))('with a %s that is neither null nor an object', async (name) => {
      for (const value of [null, {}]) {
        expectError(await send({ ...body, [name]: value }), 'invalid_field', about(name));
      }
    });
  });
}
