import { singular } from './catalogue.js';
import { collectionOf, type Operation } from './document.js';

/** What an operation does with a resource. The model predicts no answer of `other`. */
export type Kind = 'list' | 'create' | 'get' | 'update' | 'delete' | 'other';

export function kindOf({ method, path, pathParameters, success, answer }: Operation): Kind {
  const isItem = pathParameters.length === 1 && collectionOf(path) !== path;
  if (isItem) return OF_ITEM[method] ?? 'other';
  if (pathParameters.length > 0) return 'other';
  if (method === 'GET' && answer?.type === 'array') return 'list';
  return method === 'POST' && success === 201 && answer?.properties?.['id'] ? 'create' : 'other';
}

const OF_ITEM: Readonly<Record<string, Kind>> = { GET: 'get', PATCH: 'update', DELETE: 'delete' };

/** Whether the model knows what each parameter of a list means. */
export function isPredictable({ query, answer }: Operation): boolean {
  const fields = Object.keys(answer?.items?.properties ?? {});
  return query.every(({ name, schema }) => PAGING.has(name) || fields.includes(fieldOf(name, schema)));
}

const PAGING: ReadonlySet<string> = new Set(['limit', 'after']);

/** The field in whose order a list is, and whether the latest is first: the description of `after` says it. */
export function orderedBy({ id, query, answer }: Operation): { by: string; isLatestFirst: boolean } {
  const after = query.find(({ name }) => name === 'after');
  if (!after) return { by: 'id', isLatestFirst: false };
  const [, words = '', order] = /whose ([\w ]+) is (greater|earlier)/.exec(after.description ?? '') ?? [];
  const by = words.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
  if (by in (answer?.items?.properties ?? {})) return { by, isLatestFirst: order === 'earlier' };
  throw new Error(
    `${id}: begin the description of "after" with the field in whose order the list is, such as "Return only toys whose name is greater", or "whose madeAt is earlier".`,
  );
}

function fieldOf(name: string, { type }: { type?: string | undefined }): string {
  return type === 'array' ? singular(name) : name;
}

/** Collections in an order in which each comes after those that its items refer to. */
export function collections(operations: readonly Operation[]): string[] {
  const paths = [...new Set(operations.map(({ path }) => collectionOf(path)))];
  const rank = (path: string, seen: readonly string[] = []): number =>
    seen.includes(path)
      ? 0
      : Math.max(0, ...referencesOf(operations, path).map((other) => 1 + rank(other, [...seen, path])));
  return paths.toSorted((a, b) => rank(a) - rank(b));
}

/** Collections that refer to this one, or that this one refers to: a change here may change those, too. */
export function relatedTo(operations: readonly Operation[], path: string): string[] {
  const others = collections(operations).filter((other) => other !== path);
  const refers = (from: string, to: string): boolean => referencesOf(operations, from).includes(to);
  return others.filter((other) => refers(path, other) || refers(other, path));
}

function referencesOf(operations: readonly Operation[], path: string): string[] {
  return operations
    .filter((operation) => collectionOf(operation.path) === path)
    .flatMap(({ body }) => Object.values(body?.properties ?? {}))
    .flatMap(({ refersTo }) => (refersTo === undefined ? [] : [refersTo]));
}
