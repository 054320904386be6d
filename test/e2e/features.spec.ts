import { Controller, Get, Module, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { declareError, notFound, Refuses } from '../../src/api/errors.js';
import { DateTime, Int64, OneOf } from '../../src/api/fields.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const crateLocked = declareError('crate_locked', { status: 409, when: 'It is locked.', advice: 'Unlock it.' });

@ApiSchema({ name: 'Crate' })
class CrateDto {
  @OneOf('CrateSize', ['small', 'large'], { description: 'Its size.' })
  readonly size!: string;

  @DateTime({ description: 'When it goes; null if that is open.', nullable: true })
  readonly shipDate!: Date | null;
}

class CratePath {
  @Int64({ description: 'Its id.', text: true })
  readonly crateId!: bigint;
}

@Resource('crates', 'Crates of this test')
@Controller('crates')
class CratesController {
  @Get(':crateId')
  @ApiOperation({ summary: 'Get a crate' })
  @ApiOkResponse({ type: CrateDto, description: 'The crate.' })
  @Refuses(crateLocked)
  getCrate(@Param() { crateId }: CratePath): CrateDto {
    if (crateId === 0n) throw notFound('crate');
    if (crateId < 0n) throw crateLocked();
    return { size: 'small', shipDate: crateId === 1n ? null : new Date(Number(crateId)) };
  }

  @Get(':crateId/lid')
  @ApiOperation({ summary: 'Get its lid' })
  @ApiOkResponse({ type: CrateDto, description: 'The lid.' })
  getLid(): CrateDto {
    throw crateLocked();
  }
}

@Module({ controllers: [CratesController] })
class CratesModule {}

describeInside('A new feature', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, [CratesModule]);
  });
  afterAll(() => service.stop());

  it('answers as its DTO says', async () => {
    expect((await service.get('/v1/crates/1')).text).toBe('{"size":"small","shipDate":null}');
    const { text } = await service.get('/v1/crates/2');
    expect(text).toBe('{"size":"small","shipDate":"1970-01-01T00:00:00.002Z"}');
  });

  it('refuses as it declares, and the document says so', async () => {
    expectError(await service.get('/v1/crates/-1'), 'crate_locked', 'It is locked.', 409);
    expectError(await service.get('/v1/crates/0'), 'not_found', 'There is no such crate.');
    expectError(await service.get('/v1/crates/x'), 'not_found');
    const { text } = await service.call('GET', '/openapi.json');
    expect(text).toContain('crate_locked');
  });

  it('fails its tests when it refuses in a way that it does not document', async () => {
    const lid = service.get('/v1/crates/1/lid');
    await expect(lid).rejects.toThrow('answered 409, which getLid does not document');
  });

  it('requires an API key without saying so', async () => {
    expectError(await service.call('GET', '/v1/crates/1'), 'missing_api_key');
  });
});
