import { hash } from 'node:crypto';
import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database.js';
import { JSON_TYPE, readBody } from '../body.js';
import { ApiError, declareError, Refuses } from '../errors.js';
import { type IdempotencyRecord, IdempotencyRecords, KEPT_HOURS } from './idempotency-records.js';

export const KEY_HEADER = 'Idempotency-Key';
export const REPLAYED_HEADER = 'Idempotency-Replayed';

/** Within quotes, a backslash would be an escape. */
const KEY_PATTERN = '^(?:[!#-~]{1,255}|"([!#-[\\]-~]{1,255})")$';

const invalidIdempotencyKey = declareError('invalid_idempotency_key', {
  status: 400,
  when: `The header ${KEY_HEADER} is not one key of 1 to 255 visible ASCII characters.`,
  advice: `Send \`${KEY_HEADER}\` once, with a new UUID for each change.`,
});
const idempotencyKeyReused = declareError('idempotency_key_reused', {
  status: 409,
  when: `The ${KEY_HEADER} belongs to another request body.`,
  advice: 'Repeat with the bytes of the first request, or take a new key for another change.',
});

/** Thrown where the request has been answered before: the filter sends that answer again. */
export class AnsweredBefore {
  constructor(private readonly record: IdempotencyRecord) {}

  send(reply: FastifyReply): void {
    const { status, location, body } = this.record;
    void reply.code(status).header(REPLAYED_HEADER, 'true');
    if (location !== null) void reply.header('location', location);
    if (body !== null) void reply.type(JSON_TYPE);
    void reply.send(body ?? undefined);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Makes the change of a repeatable operation: `change((manager) => this.pets.add(newPet, manager))`. */
    change: <T>(work: (manager?: EntityManager) => Promise<T>) => Promise<T>;
  }
  interface FastifyContextConfig {
    /** Where a created resource can be read, while it can. */
    locationOf?: (created: unknown) => string | undefined;
  }
}

/**
 * Looks at requests with an Idempotency-Key before their body is parsed: one that is known gets its first answer again,
 * others run in a transaction that records their answer. Without a key, it only reads the body where the path has parameters.
 */
@Injectable()
class RepetitionGuard implements CanActivate {
  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyRecords,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // What is wrong with a body precedes what is wrong with a path.
    const readsLater = request.headers['idempotency-key'] === undefined && Object.keys(request.params!).length === 0;
    return readsLater || this.prepare(request, http.getResponse());
  }

  private async prepare(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const bytes = request.method === 'DELETE' ? Buffer.alloc(0) : await readBody(reply.raw);
    request.body = bytes;
    if (request.headers['idempotency-key'] === undefined) return true;
    const digest = digestOf(request, keyOf(request));
    const bodyHash = hash('sha256', bytes, 'buffer');
    refuseKnown(await this.records.find(digest), bodyHash);
    request.change = (work) =>
      this.database.transaction(undefined, async (manager) => {
        // An equal request waits here until the first is over.
        refuseKnown(await this.records.find(digest, manager), bodyHash);
        const result = await work(manager);
        const location = request.routeOptions.config.locationOf?.(result) ?? null;
        const body = result === undefined ? null : (reply.serialize(result) as string);
        const { statusCode: status } = reply;
        await this.records.insert({ digest, bodyHash, status, location, body }, manager);
        return result;
      });
    return true;
  }
}

function refuseKnown(record: IdempotencyRecord | null, bodyHash: Buffer): void {
  if (!record) return;
  if (!record.bodyHash.equals(bodyHash)) throw new ApiError(idempotencyKeyReused);
  throw new AnsweredBefore(record);
}

/** The key without its quotes. Node.js joins several by a comma and a space, which none may have. */
function keyOf({ headers }: FastifyRequest): string {
  const match = new RegExp(KEY_PATTERN).exec(String(headers['idempotency-key']));
  if (!match) throw new ApiError(invalidIdempotencyKey);
  return match[1] ?? match[0];
}

/** A key belongs to one API key with its successors, and to one operation with its path, however that is written. */
function digestOf({ caller, method, routeOptions, params }: FastifyRequest, key: string): Buffer {
  const owner = caller!.originId ?? caller!.id;
  const path = routeOptions.url!.replace(/:(\w+)/g, (_, name: string) => (params as Record<string, string>)[name]!);
  return hash('sha256', [owner, method, path, key].join('\n'), 'buffer');
}

/** Lets clients repeat an operation safely. `@Created`, `@Updated` and `@Deleted` include it. */
export function Repeatable(): MethodDecorator {
  return applyDecorators(
    UseGuards(RepetitionGuard),
    ApiHeader({
      name: KEY_HEADER,
      required: false,
      description: `Makes the request safe to repeat: for at least ${KEPT_HOURS} hours, the same request under the same key gets the first success again. Take a new one, such as a UUID, for each change; quotes around it do not count.`,
      schema: { type: 'string', pattern: KEY_PATTERN },
    }),
    Refuses(invalidIdempotencyKey, idempotencyKeyReused),
  );
}
