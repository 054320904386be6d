import fc from 'fast-check';
import type { Operation, Schema } from './document.js';
import { bodyOf, type Member, membersOf, objectText, type Parts, type Sent, toRequest } from './requests.js';

/** Requests, or undefined when the operation cannot have them. */
export type Requests = fc.Arbitrary<Sent> | undefined;

/** Requests whose body members are changed by `spoil`. */
export function withMembers(
  operation: Operation,
  spoil: (members: Member[], schema: Schema) => fc.Arbitrary<Member[]>,
): Requests {
  const { body } = operation;
  return (
    body &&
    membersOf(body, { minLength: 1 })
      .chain((members) => spoil(members, body))
      .chain((members) => bodyOf(operation, members))
      .map(({ text }) => asBody(operation, text))
  );
}

/** Requests whose body text is changed by `spoil`. */
export function withText(
  operation: Operation,
  spoil: (text: string) => fc.Arbitrary<string | Buffer>,
): Requests {
  const { body } = operation;
  return (
    body &&
    membersOf(body, { minLength: 1 })
      .chain((members) => spoil(objectText(members)))
      .map((text) => asBody(operation, text))
  );
}

/** Requests with a valid body and one invalid header. */
export function withHeader(operation: Operation, name: string, values: (string | undefined)[]): Requests {
  const { body } = operation;
  return (
    body &&
    fc
      .tuple(membersOf(body), fc.constantFrom(...values))
      .map(([members, value]) => asBody(operation, objectText(members), { [name]: value }))
  );
}

function asBody(operation: Operation, text: string | Buffer, headers: Sent['headers'] = {}): Sent {
  const path = pathOfFirst(operation);
  return toRequest(operation, { path, query: [], body: { text, says: {} }, headers });
}

/** The path of the first item, which the seed has added. */
function pathOfFirst({ path, pathParameters }: Operation): Parts['path'] {
  return {
    text: path.replaceAll(/\{\w+\}/g, '1'),
    says: Object.fromEntries(pathParameters.map(({ name }) => [name, 1n])),
  };
}
