import type { Answer, Options } from './client.js';

const BODY_LENGTH = 2_000;

interface Exchange {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly options: Options;
  readonly answer: Answer;
}

/** Where environment.mjs finds what to show with a test that fails. A function, so that only failures pay for the text. */
const place = globalThis as { showLastExchange?: () => string };

export function rememberExchange(exchange: Exchange): void {
  place.showLastExchange = () => show(exchange);
}

/** Request and answer as they would stand on the wire, without the keys. */
function show({ origin, method, path, options, answer }: Exchange): string {
  const lines = [
    `${method} ${path}`,
    `host: ${new URL(origin).host}`,
    ...headerLines(options.headers),
    ...bodyLines(options.body),
    '',
    `${answer.status}`,
    ...headerLines(answer.headers),
    ...bodyLines(answer.text),
  ];
  return lines.join('\n').replaceAll(/\b(pets_(?:live|test)_)\w+/g, '$1…');
}

function headerLines(headers: Answer['headers'] = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${String(value)}`],
  );
}

function bodyLines(body: Options['body'] = ''): string[] {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : JSON.stringify(body);
  if (text === '') return [];
  return [
    '',
    text.length > BODY_LENGTH ? `${text.slice(0, BODY_LENGTH)} … (${text.length} characters)` : text,
  ];
}
