import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type INestApplication,
  Module,
  Param,
  type PipeTransform,
  Query,
  Res,
  StreamableFile,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { of, throwError } from 'rxjs';
import { Readable } from 'node:stream';
import { synchronousSteps } from './synchronous-steps.js';

const steps: string[] = [];
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
const fail = (message: string): never => {
  throw Object.assign(new Error(message), { statusCode: 400 });
};

/** Answers by the query: `a=true` at once, `a=later` true later, `a=of` with an Observable, anything else false. */
function guard(name: string) {
  @Injectable()
  class Guard implements CanActivate {
    canActivate(context: ExecutionContext) {
      steps.push(`guard ${name}`);
      const { query } = context.switchToHttp().getRequest<{ query: Record<string, string> }>();
      if (query[name] === 'throws') fail('guard');
      if (query[name] === 'later') return later(true);
      if (query[name] === 'false later') return later(false);
      return query[name] === 'of' ? of(true) : query[name] !== 'false';
    }
  }
  return Guard;
}

@Injectable()
class Pipe implements PipeTransform {
  constructor(private readonly name = 'pipe') {}

  transform(value: unknown) {
    const text = typeof value === 'string' ? value : 'query';
    steps.push(`${this.name} ${text}`);
    if (text.startsWith('late'))
      return later(text).then((late) => (late === 'late bad' ? fail('late pipe') : `${late}!`));
    return text === 'bad' ? fail('pipe') : `${text}!`;
  }
}

@Controller()
@UseGuards(guard('a'), guard('b'))
@UsePipes(new Pipe())
class Samples {
  @Get('two/:first/:second')
  two(
    @Param('first', new Pipe('own')) first: string,
    @Param('second') second: string,
    @Query() _query: unknown,
  ) {
    steps.push('handler');
    return { first, second };
  }

  @Get('answer/:kind')
  answer(@Param('kind') kind: string, @Res({ passthrough: true }) reply: FastifyReply) {
    void reply.header('x-kind', kind.length);
    switch (kind) {
      case 'observable!':
        return of({ kind });
      case 'stream!':
        return new StreamableFile(Readable.from(['a', 'b']));
      case 'nothing!':
        return undefined;
      case 'null!':
        return null;
      case 'text!':
        return 'text';
      case 'failing!':
        return throwError(() => new Error('failing'));
      case 'promise!':
        return later([kind]);
      default:
        return fail(kind);
    }
  }

  @Get('own')
  own(@Res() reply: FastifyReply): void {
    void reply.code(202).send('own');
  }
}

@Module({ controllers: [Samples] })
class SampleModule {}

describe('synchronousSteps', () => {
  const prototype = RouterExecutionContext.prototype as unknown as {
    create: (...args: unknown[]) => unknown;
  };
  const { create } = prototype;
  const apps: Record<string, INestApplication & NestFastifyApplication> = {};

  beforeAll(async () => {
    for (const kind of ['nest', 'ours']) {
      prototype.create = function (this: RouterExecutionContext, ...args: unknown[]) {
        return create.apply(kind === 'ours' ? Object.create(this, synchronousSteps(this)) : this, args);
      };
      const app = await NestFactory.create<NestFastifyApplication>(SampleModule, new FastifyAdapter(), {
        logger: false,
      });
      await app.init();
      apps[kind] = app;
    }
    prototype.create = create;
  });
  afterAll(async () => {
    for (const app of Object.values(apps)) await app.close();
  });

  async function get(kind: string, url: string): Promise<unknown> {
    steps.length = 0;
    const answer = await apps[kind]?.inject({ url });
    // A pipe may still be at work when another has failed.
    for (let turn = 0; turn < 10; turn++) await later(undefined);
    const { date: _, ...headers } = answer?.headers ?? {};
    return { status: answer?.statusCode, headers, body: answer?.body, steps: [...steps] };
  }

  it.each([
    '/two/x/y',
    '/two/late/y',
    '/two/x/late',
    '/two/late/late',
    '/two/bad/y',
    '/two/x/bad',
    '/two/bad/late',
    '/two/late/bad',
    '/two/late%20bad/bad',
    '/two/late%20bad/late',
    '/two/x/y?a=false',
    '/two/x/y?a=later',
    '/two/x/y?b=later',
    '/two/x/y?a=later&b=false',
    '/two/x/y?a=of&b=of',
    '/two/x/y?a=false%20later',
    '/two/x/y?b=false%20later',
    '/two/x/y?a=throws',
    '/two/x/y?a=later&b=throws',
    ...['observable', 'stream', 'nothing', 'null', 'text', 'failing', 'promise', 'other'].map(
      (kind) => `/answer/${kind}`,
    ),
    '/own',
  ])('answer %s as Nest does, step by step', async (url) => {
    const expected = await get('nest', url);
    expect(await get('ours', url)).toEqual(expected);
    expect(expected).toHaveProperty('steps.0', 'guard a');
  });
});
