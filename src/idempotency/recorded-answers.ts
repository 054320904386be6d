import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  idempotencyKeyReused,
  KEY_HEADER,
  readIdempotencyKey,
  REPLAYED_HEADER,
} from '../api/responses/idempotency-key.js';
import { KeyedRequests } from '../api/responses/repeatable.decorator.js';
import { renderBody } from '../api/responses/transform-response.decorator.js';
import { JSON_TYPE } from '../api/media-types.js';
import type { Caller } from '../common/exchange.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import { DatabaseBusy, OutcomeUnknown, toOutage, underKey } from '../database/database-errors.js';
import { DATABASE_LIMITS } from '../database/limits.js';
import { RecordedChange, RunAgain } from '../database/transactions/recorded-change.js';
import { Transactions } from '../database/transactions/transactions.js';
import { countHeader } from '../edge/http/raw-headers.js';
import { onceAdmitted, takeTurn } from '../edge/in-flight-requests.js';
import { readBodyBytes, readsBody } from '../edge/json-body.js';
import { type AnswerRecord, AnswerRecords } from './answer-records.js';
import { Attempts } from './attempts.js';
import { RequestsUnderWay } from './requests-under-way.js';

const { waitMs, answerMs } = DATABASE_LIMITS;
const NAME = KEY_HEADER.toLowerCase();
const NO_BODY = Buffer.alloc(0);
/** A little later than steps that know more. */
const MOST_MS = waitMs + answerMs + 30;

interface KeyedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly run: () => Promise<unknown>;
  readonly digest: string;
  readonly bodyHash: string;
  readonly deadline: number;
  /** Its reply has become that of an error, while the work went on. */
  isRefused: boolean;
}

interface Answer extends AnswerRecord {
  /** Found, not made. */
  readonly isRepeated: boolean;
}

/**
 * Answers a request and its repetitions with the first success, whose record is committed with its change. Refusals are
 * not recorded.
 */
@Injectable()
export class RecordedAnswers extends KeyedRequests {
  private readonly underWay: RequestsUnderWay<Answer>;

  constructor(
    private readonly records: AnswerRecords,
    private readonly transactions: Transactions,
    places: WaitingPlaces,
  ) {
    super();
    this.underWay = new RequestsUnderWay(MOST_MS, places);
  }

  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<unknown>,
  ): Promise<string | undefined> {
    const read = bodyOf(request);
    const body = read instanceof Promise ? await read : read;
    const digest = digestOf(request, keyOf(request));
    const bodyHash = sha256(body);
    const deadline = performance.now() + waitMs + answerMs;
    const keyed = { request, reply, run, digest, bodyHash, deadline, isRefused: false };
    try {
      const waiting = { group: (request.caller as Caller).load, deadline };
      const { result, isOwn } = await this.underWay.run(digest, waiting, () => this.findOrMake(keyed));
      if (result.bodyHash !== bodyHash) throw idempotencyKeyReused();
      if (!isOwn || result.isRepeated) replay(result, reply);
      return result.body ?? undefined;
    } catch (error) {
      keyed.isRefused = true;
      reply.removeHeader('location'); // of a change that was not committed, or not yet
      throw underKey(error);
    }
  }

  private async findOrMake(keyed: KeyedRequest): Promise<Answer> {
    const { request, reply, run, digest, bodyHash, deadline } = keyed;
    const { load } = request.caller as Caller;
    const transactions = this.transactionsOf(request);
    const attempts = new Attempts(load, deadline);
    for (;;) {
      const known = attempts.begin() ? await this.find(digest, attempts) : undefined;
      if (known) return known;
      const party = attempts.decideParty();
      if (party) this.underWay.delay(digest);
      const change = new RecordedChange(transactions, attempts.isAlone, deadline, load, party);
      try {
        const returned = await change.run(run);
        if (keyed.isRefused) throw new OutcomeUnknown(); // nobody gets this answer, and the reply has that of an error
        const body = renderBody(returned, request, reply) ?? null;
        const location = (reply.getHeader('location') as string | undefined) ?? null;
        const answer = { bodyHash, status: reply.statusCode, location, body, isRepeated: false };
        await change.commit(this.records.companionOf(digest, answer), (one) => this.records.insert(one));
        return answer;
      } catch (error) {
        await change.rollBack();
        if (error instanceof RunAgain) {
          if (attempts.mayGoOn(error)) continue;
          throw new DatabaseBusy({ cause: error });
        }
        if (toOutage(error, true)) throw error;
        // The same request may have been committed before, which is why this one is refused.
        const recorded = await this.find(digest, attempts);
        if (recorded) return recorded;
        throw this.records.isDuplicate(error) ? new DatabaseBusy({ cause: error }) : error;
      }
    }
  }

  private async find(digest: string, attempts: Attempts): Promise<Answer | undefined> {
    const known = await this.records.find(digest);
    attempts.lookedUp(known !== undefined);
    return known && { ...known, isRepeated: true };
  }

  /** Alone, a change occupies a connection. One key must not take all of them. */
  private transactionsOf({ raw, caller }: FastifyRequest): Pick<Transactions, 'run'> {
    return {
      run: async (work) => {
        await takeTurn(raw, (caller as Caller).load);
        return this.transactions.run(work);
      },
    };
  }
}

function bodyOf(request: FastifyRequest): Buffer | Promise<Buffer> {
  if (!readsBody(request)) return NO_BODY;
  const { raw } = request;
  return onceAdmitted(raw, readBodyBytes(raw));
}

function keyOf({ headers, raw }: FastifyRequest): string {
  return readIdempotencyKey(countHeader(raw.rawHeaders, NAME) === 1 ? headers[NAME] : undefined);
}

/** The same for repetitions only: one API key or its successors, one operation and path, one key. */
function digestOf({ caller, method, url }: FastifyRequest, key: string): string {
  if (!caller)
    throw new Error(`A public operation cannot take ${KEY_HEADER}: its callers would share their keys.`);
  const [path] = url.split('?', 1);
  return sha256([caller.originId ?? caller.id, method, path, key].join('\n'));
}

/** As PostgreSQL writes bytes. A `Buffer` would cost four times as much. */
function sha256(data: string | Buffer): string {
  return `\\x${hash('sha256', data)}`;
}

function replay({ status, location, body }: AnswerRecord, reply: FastifyReply): void {
  reply.code(status).header(REPLAYED_HEADER, 'true');
  if (location === null) reply.removeHeader('location');
  else reply.header('location', location);
  if (body !== null) reply.type(JSON_TYPE);
}
