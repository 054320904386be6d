import { describe, expect, it } from '@jest/globals';
import type { Answer } from './client.js';
import { expectError } from './expectations.js';
import type { Service } from './service.js';

interface Input {
  path: string;
  /** A valid body with all its members. */
  body: Readonly<Record<string, string | number | boolean | object>>;
  required: readonly string[];
}

/** Shared tests of every operation with a body: it accepts one JSON object with the documented members only. */
export function itTakesAnObject(service: () => Service, { path, body, required }: Input): void {
  const text = JSON.stringify(body);
  const send = (sent: object | string, type?: string): Promise<Answer> =>
    service().post(path, sent, { headers: type === undefined ? {} : { 'content-type': type } });
  const about = (name: string) => expect.stringContaining(`"${name}"`);

  describe('requires one JSON object', () => {
    it.each([
      ['an empty body', ''],
      ['a truncated object', text.slice(0, -1)],
      ['two objects', text + text],
      ['a trailing comma', text.replace(/\}$/, ',}')],
      ['a duplicate key', text.replace(/^\{("\w+":)/, '{$1null,$1')],
      ['an array', `[${text}]`],
      ['null', 'null'],
      ['a form', 'name=x'],
    ])('and refuses %s', async (_, sent) => {
      expectError(await send(sent), 'invalid_json');
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
      'and refuses content type %s',
      async (type) => {
        expectError(await send(text, type), 'unsupported_media_type');
      },
    );

    it.each(['id', 'surprise', '__proto__'])('and refuses the unknown member %s', async (name) => {
      expectError(await send(text.replace('{', `{"${name}":1,`)), 'unknown_field', about(name));
    });

    it.each(required)('and refuses one without %s', async (name) => {
      const { [name]: _, ...rest } = body;
      expectError(await send(rest), 'missing_field', about(name));
    });

    it.each(Object.keys(body))('and refuses null or another kind of value as %s', async (name) => {
      for (const value of [null, typeof body[name] === 'object' ? 'text' : {}]) {
        expectError(await send({ ...body, [name]: value }), 'invalid_field', about(name));
      }
    });
  });
}
