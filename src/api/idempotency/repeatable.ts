import { hash } from 'node:crypto';
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database.js';
import { readBody } from '../body.js';
import { ApiError, declareError, Refuses } from '../errors.js';
import { AnsweredBefore, IdempotencyRecords, KEPT_HOURS } from './idempotency-records.js';

export const KEY_HEADER = 'Idempotency-Key';

/** A quoted key has no backslash (0x5c). The brackets beside it are in hex: some regex engines take `[` for a class. */
const KEY_PATTERN = '^(?:[!#-~]{1,255}|"([!#-\\x5b\\x5d-~]{1,255})")$';

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

/** Runs a change: `runOnce((manager) => this.pets.add(newPet, manager))`. */
export type RunOnce = <T>(work: (manager?: EntityManager) => Promise<T>) => Promise<T>;

const TAKES_RUN_ONCE = 'takes-run-once';

/**
 * The parameter through which a handler makes its change, so that a request that is repeated under its Idempotency-Key makes
 * the change only once. With an Idempotency-Key, `work` runs in a transaction, which also stores the answer, and has to use
 * the transaction's `manager` for all its statements. Without one, the change is just made, and there is no manager.
 */
export const RunOnce = createParamDecorator(
  (_: unknown, context: ExecutionContext): RunOnce => context.switchToHttp().getRequest<FastifyRequest>().runOnce,
  [(controller, name) => Reflect.defineMetadata(TAKES_RUN_ONCE, true, controller, name!)],
);

/** Reads the body of a change, and prepares `runOnce` for a request with an Idempotency-Key. */
@Injectable()
class ChangeGuard implements CanActivate {
  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyRecords,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const prepare = (bytes: Buffer) => this.prepare(request, http.getResponse(), bytes);
    const body = request.method === 'DELETE' ? Buffer.alloc(0) : readBody(request);
    return Buffer.isBuffer(body) ? prepare(body) : body.then(prepare);
  }

  private prepare(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): true {
    request.body = bytes;
    if (request.headers['idempotency-key'] === undefined) return true;
    const digest = digestOf(request, keyOf(request));
    const bodyHash = hash('sha256', bytes, 'buffer');
    request.runOnce = (work) =>
      this.records.inTurn(digest, () =>
        this.database.transaction(undefined, async (manager) => {
          const known = await this.records.begin(digest, bodyHash, manager);
          if (known && !known.bodyHash.equals(bodyHash)) throw new ApiError(idempotencyKeyReused);
          if (known) throw new AnsweredBefore(known);
          const result = await work(manager);
          const location = request.routeOptions.config.locationOf?.(result) ?? null;
          const body = result === undefined ? null : (reply.serialize(result) as string);
          // Relies on Nest: the status is set before the handler runs.
          await this.records.complete(digest, reply.statusCode, location, body, manager);
          return result;
        }),
      );
    return true;
  }
}

/** The key without its quotes. Node.js joins several headers by a comma and a space, so they do not match the pattern. */
function keyOf({ headers }: FastifyRequest): string {
  const match = new RegExp(KEY_PATTERN).exec(String(headers['idempotency-key']));
  if (!match) throw new ApiError(invalidIdempotencyKey);
  return match[1] ?? match[0];
}

/** An Idempotency-Key belongs to an API key with its successors, an operation, and a path, whose encoding does not count. */
function digestOf({ caller, method, routeOptions, params }: FastifyRequest, key: string): Buffer {
  const owner = caller!.originId ?? caller!.id;
  const path = routeOptions.url!.replace(/:(\w+)/g, (_, name: string) => (params as Record<string, string>)[name]!);
  return hash('sha256', [owner, method, path, key].join('\n'), 'buffer');
}

/** Lets clients repeat an operation safely. `@Created`, `@Updated` and `@Deleted` include it. */
export function Repeatable(): MethodDecorator {
  return applyDecorators(
    requireRunOnce,
    UseGuards(ChangeGuard),
    ApiHeader({
      name: KEY_HEADER,
      required: false,
      description: `Makes the request safe to repeat: for at least ${KEPT_HOURS} hours, the same request under the same key gets the first success again. Take a new one, such as a UUID, for each change; quotes around it do not count.`,
      schema: { type: 'string', pattern: KEY_PATTERN },
    }),
    Refuses(invalidIdempotencyKey, idempotencyKeyReused),
  );
}

/** A handler without `runOnce` would ignore the Idempotency-Key, and a repeated request would make its change twice. */
const requireRunOnce: MethodDecorator = (controller, name) => {
  if (!Reflect.getMetadata(TAKES_RUN_ONCE, controller, name))
    throw new Error(`${controller.constructor.name}.${String(name)} needs a parameter: @RunOnce() runOnce: RunOnce.`);
};
