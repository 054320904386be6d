import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiOperation, ApiSchema, type OpenAPIObject } from '@nestjs/swagger';
import { Created, Fetched, Public, Resource } from '../../src/api/decorators.js';
import { ApiError, declareError, notFound, Refuses } from '../../src/api/errors.js';
import { DateTime, Int64, OneOf } from '../../src/api/fields.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const SHARED = {};
const crateLocked = declareError('crate_locked', { status: 409, when: 'It is locked.', advice: 'Unlock it.' });

@ApiSchema({ name: 'Crate' })
class CrateDto {
  @OneOf('CrateSize', ['small', 'large'], { description: 'Its size.' }) readonly size!: string;
  @DateTime({ description: 'When it goes; null if that is open.', nullable: true }) readonly shipDate!: Date | null;
}

class CratePath {
  @Int64({ description: 'Its id.' }) readonly crateId!: bigint;
}

@Resource('crates', 'Crates of this test')
@Controller('crates')
class CratesController {
  @Get(':crateId')
  @ApiOperation({ summary: 'Get a crate' })
  @Fetched({ type: CrateDto, description: 'The crate.' })
  @Refuses(crateLocked)
  getCrate(@Param() { crateId }: CratePath): CrateDto {
    if (crateId === 0n) throw notFound('crate');
    if (crateId < 0n) throw new ApiError(crateLocked);
    return { size: 'small', shipDate: crateId === 1n ? null : new Date(Number(crateId)) };
  }

  @Get(':crateId/lid')
  @Public()
  @ApiOperation({ summary: 'Get its lid' })
  @Fetched({ type: CrateDto, description: 'The lid.' })
  @RouteConfig(SHARED)
  getLid(): CrateDto {
    throw new ApiError(crateLocked);
  }
}

/** Its handler has the name of one of another controller. */
@Resource('shelves', 'Shelves of this test')
@Controller('shelves')
class ShelvesController {
  @Get(':crateId')
  @ApiOperation({ summary: 'Get a shelf' })
  @Fetched({ type: CrateDto, description: 'The shelf.' })
  @RouteConfig(SHARED)
  getCrate(): CrateDto {
    return { size: 'large', shipDate: null };
  }
}

@Module({ controllers: [CratesController, ShelvesController] })
class CratesModule {}

describeInside('A new feature', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, [CratesModule]);
  });
  afterAll(() => service.stop());

  it('answers as its DTO says', async () => {
    expect((await service.get('/v1/crates/1')).text).toBe('{"size":"small","shipDate":null}');
    expect((await service.get('/v1/crates/2')).text).toBe('{"size":"small","shipDate":"1970-01-01T00:00:00.002Z"}');
  });

  it('refuses as it declares, and the document says so', async () => {
    expectError(await service.get('/v1/crates/-1'), 'crate_locked', 'It is locked.');
    expectError(await service.get('/v1/crates/0'), 'not_found', 'There is no such crate.');
    expectError(await service.get('/v1/crates/x'), 'not_found');
    expect((await service.call('GET', '/openapi.json')).text).toContain('crate_locked');
  });

  it('fails its tests when it refuses in a way that it does not document', async () => {
    await expect(service.get('/v1/crates/1/lid')).rejects.toThrow('answered 409, which getLid does not document');
  });

  it('keeps its own declarations when another has a handler of the same name, or shares a configuration', async () => {
    expectError(await service.call('GET', '/v1/shelves/1'), 'missing_api_key');
    const { paths } = (await service.call('GET', '/openapi.json')).json as OpenAPIObject;
    const [crate, shelf] = ['/crates/{crateId}', '/shelves/{crateId}'].map((path) => paths[path]!.get!);
    expect(crate!.operationId).toBe('CratesController_getCrate');
    expect(shelf!.operationId).toBe('ShelvesController_getCrate');
    expect(crate!.responses).toHaveProperty('409');
    expect(shelf!.responses).not.toHaveProperty('409');
  });

  it('does not start when an error is declared twice, or a handler would ignore Idempotency-Key, or has no declared answer', async () => {
    expect(() => declareError('crate_locked', crateLocked)).toThrow('crate_locked is declared twice');
    expect(() => {
      class Forgetful {
        @Post()
        @Created({ type: CrateDto, description: 'The crate.' })
        create(@Body() crate: CrateDto): CrateDto {
          return crate;
        }
      }
      return Forgetful;
    }).toThrow('Forgetful.create needs a parameter: @RunOnce() runOnce: RunOnce');
    @Controller('silent')
    class SilentController {
      @Get()
      answerNothing(): void {}
    }
    @Module({ controllers: [SilentController] })
    class SilentModule {}
    await expect(startService({}, undefined, [SilentModule])).rejects.toThrow('answerNothing needs @Fetched,');
  });
});
