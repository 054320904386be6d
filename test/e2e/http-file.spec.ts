import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

interface FileRequest {
  /** `201: add an animal`, or `400 invalid_json: …`. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

describeInside('docs/pets.http', () => {
  let service: Service;
  let requests: FileRequest[];
  beforeAll(async () => {
    service = await startService();
    const text = readFileSync(join(import.meta.dirname, '../../docs/pets.http'), 'utf8');
    requests = readRequests(text, { origin: '', apiKey: service.key });
  });
  afterAll(() => service.stop());

  it('gets the answer that the title of each request promises', async () => {
    const answered: string[] = [];
    for (const { method, path, headers, body } of requests) {
      const answer = await service.call(method, path, { headers, ...(body !== undefined && { body }) });
      const code = answer.status < 400 ? '' : ` ${(answer.json as { code: string }).code}`;
      answered.push(`${answer.status}${code}`);
    }
    expect(answered).toEqual(requests.map(({ title }) => title.split(':', 1)[0]));
  });
});

/** The requests of a file, with its variables filled in. */
function readRequests(text: string, given: Record<string, string>): FileRequest[] {
  const [preamble = '', ...blocks] = text.split(/^### /m);
  const variables = new Map<string, string>();
  const filled = (part: string): string =>
    part.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole);
  for (const [, name = '', value = ''] of preamble.matchAll(/^@(\w+) = (.+)$/gm))
    variables.set(name, given[name] ?? filled(value));
  return blocks.map((block) => {
    const [head = '', ...rest] = filled(block).split('\n\n');
    const [title = '', request = '', ...lines] = head.trim().split('\n');
    const [method = '', path = ''] = request.split(' ');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
    return { title, method, path, headers, body: rest.join('\n\n').trim() || undefined };
  });
}
