import { gzipSync } from 'node:zlib';
import type { Sent } from './requests.js';

/** Formats a request as a shell command that reads the key from `$API_KEY`. */
export function curl({ method, path, headers, body, isRepeated }: Sent): string {
  const given = Object.entries({ authorization: 'Bearer $API_KEY', ...headers });
  const parts = [
    'curl -isg --path-as-is',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...given.map(([name, value]) => header(name, value)),
    ...(isRepeated ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(headers['content-type'] === undefined && body !== undefined ? [`-H 'content-type;'`] : []),
    ...(body === undefined ? [] : ['--data-binary @-']),
    `"http://localhost:3000"${quoted(path)}`,
  ];
  return body === undefined ? parts.join(' ') : `${printing(body)} | ${parts.join(' ')}`;
}

function header(name: string, value: string | undefined): string {
  if (value === undefined) return `-H '${name}:'`; // makes curl omit the header
  if (value === '') return `-H '${name};'`;
  return value.includes('$API_KEY') ? `-H "${name}: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`;
}

/** A command that prints the exact bytes of a body; long bodies are repetitive, so they are gzipped. */
function printing(body: string | Buffer): string {
  const bytes = Buffer.from(body as string);
  if (bytes.length > 1_000) return `echo ${gzipSync(bytes).toString('base64')} | base64 -d | gunzip`;
  return `printf -- ${quoted(Array.from(bytes, forPrintf).join(''))}`;
}

function forPrintf(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '%') return '%%';
  if (character === '\\') return '\\\\';
  return byte >= 0x20 && byte < 0x7f ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
