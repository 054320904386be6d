import { fail } from './fail.mjs';

/** Types that the generated file uses, and what the package exports beside it. */
const TYPES = words(
  'AnimalStore ApiError AsyncGenerator CallOptions ClientCode Clock Deprecation ErrorCode Limits Operations Outcome Promise ' +
    'Settings Shapes Transport',
);
const METHODS = words('constructor transport');
const OPTIONS = words('signal timeoutMs deadlineMs retries idempotencyKey requestId');
/** Arguments of all methods, and the words that JavaScript reserves in classes. */
const ARGUMENTS = words(
  'query options arguments await break case catch class const continue debugger default delete do else enum eval export ' +
    'extends false finally for function if implements import in instanceof interface let new null package private ' +
    'protected public return static super switch this throw true try typeof var void while with yield',
);

/** Refuses two methods, types, options or arguments of one name, of which one would hide the other. */
export function refuseTakenNames(operations, iterated, schemas) {
  const types = operations.flatMap(({ query, queryName, headers, optionsName, id }) => [
    ...(query.length > 0 ? [[queryName, id]] : []),
    ...(headers.length > 0 ? [[optionsName, id]] : []),
  ]);
  refuseTaken(TYPES, [...types, ...schemas.map(({ name, place }) => [name, place])]);
  const iterators = iterated.map(({ name, operation }) => [name, operation.id]);
  refuseTaken(METHODS, [...operations.map(({ id }) => [id, id]), ...iterators]);
  for (const { id, inPath, input, headers } of operations) {
    refuseTaken(
      ARGUMENTS,
      [...inPath, ...(input ? [input] : [])].map(({ variable }) => [variable, id]),
    );
    refuseTaken(
      OPTIONS,
      headers.map(({ variable }) => [variable, id]),
    );
  }
}

function refuseTaken(taken, names) {
  const seen = new Set(taken);
  for (const [name, place] of names) {
    if (seen.has(name))
      fail(place, `the name "${name}" is taken in the generated client.`, 'Choose another.');
    seen.add(name);
  }
}

function words(text) {
  return text.split(' ');
}
