import { stringify } from 'lossless-json';
import type { Answer, Options } from './client.js';

const BODY_LENGTH = 2_000;

interface Exchange {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly options: Options;
  readonly answer: Answer;
}

/**
 * Shared with environment.mjs, which shows the last exchange of a failed test and the errors that the service logged
 * since it began. A function, so only failures pay for it.
 */
const place = globalThis as { showLastExchange?: () => string; loggedErrors?: string[] };

const ERROR_LEVEL = '{"level":50,';

/** Keeps a log line, if it is one of an error, for the report of a failed test. */
export function rememberIfError(line: string): void {
  if (line.startsWith(ERROR_LEVEL)) place.loggedErrors?.push(line);
}

export function rememberExchange(exchange: Exchange): void {
  place.showLastExchange = () => show(exchange);
}

/** Formats request and answer like raw HTTP, with keys redacted. */
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
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : stringify(body)!;
  if (text === '') return [];
  return [
    '',
    text.length > BODY_LENGTH ? `${text.slice(0, BODY_LENGTH)} … (${text.length} characters)` : text,
  ];
}
