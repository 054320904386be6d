import { Body, Controller, Get, Module, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { declareError, notFound, Refuses } from '../../src/api/errors.js';
import { Bool, DateTime, Int, Int64, OneOf, Text } from '../../src/api/fields.js';
import { type Change, RecordedChange } from '../../src/api/idempotency/repeatable.js';
import { Updated } from '../../src/api/responses.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

// A feature with every kind of field, as a newcomer would write it.

const SIZES = ['small', 'large'];

const crateLocked = declareError('crate_locked', {
  status: 409,
  when: 'The crate is locked.',
  advice: 'Unlock it.',
});

@ApiSchema({ name: 'NewCrate' })
class NewCrateDto {
  @Text({ minLength: 2, maxLength: 5 }, { description: 'Its label.' })
  readonly label!: string;

  @Int64({ description: 'Its owner.', optional: true })
  readonly owner?: bigint;

  @Int({ minimum: 1, maximum: 9 }, { description: 'How many.', default: 1 })
  readonly quantity!: number;

  @OneOf('CrateSize', SIZES, { description: 'Its size.', optional: true })
  readonly size?: string;

  @Bool({ description: 'Whether it is closed.', default: false })
  readonly closed!: boolean;

  @DateTime({ description: 'When it goes.', optional: true })
  readonly shipDate?: Date;
}

@ApiSchema({ name: 'CrateChange' })
class CrateChangeDto {
  @DateTime({ description: 'When it goes; null if that is open.', optional: true, nullable: true })
  readonly shipDate?: Date | null;

  @Bool({ description: 'Closes it.', optional: true, only: true })
  readonly closed?: boolean;
}

@ApiSchema({ name: 'CrateText' })
class TextDto {
  @Text({ minLength: 1, maxLength: 1_000 }, { description: 'What the handler got.' })
  readonly got!: string;

  static of(value: object): TextDto {
    const shown = Object.entries(value).map(([name, each]) => {
      const text = each instanceof Date ? each.toISOString() : String(each);
      return `${name}: ${each === null ? 'null' : `${each?.constructor.name} ${text}`}`;
    });
    return { got: shown.join(', ') || 'nothing' };
  }
}

class CratePath {
  @Int64({ description: 'Its id.', text: true })
  readonly crateId!: bigint;
}

@Resource('crates', 'Crates of this test')
@Controller('crates')
class CratesController {
  @Post()
  @ApiOperation({ summary: 'Pack a crate' })
  @ApiBody({ type: NewCrateDto })
  @Updated({ type: NewCrateDto, description: 'The crate.', examples: {} })
  packCrate(@Body() crate: NewCrateDto): NewCrateDto {
    return crate;
  }

  @Patch(':crateId')
  @ApiOperation({ summary: 'Change a crate' })
  @Updated({ type: TextDto, description: 'The change.', examples: {} })
  @Refuses(crateLocked)
  changeCrate(
    @Param() { crateId }: CratePath,
    @Body() body: CrateChangeDto,
    @RecordedChange() change: Change,
  ): Promise<TextDto> {
    if (crateId === 2n) throw crateLocked();
    return change.run(async () => TextDto.of(body));
  }

  @Get(':crateId')
  @ApiOperation({ summary: 'Get a crate' })
  @ApiOkResponse({ type: TextDto, description: 'The crate.' })
  getCrate(@Param() { crateId }: CratePath): TextDto {
    throw crateId === 1n ? crateLocked() : notFound('crate');
  }
}

@Module({ controllers: [CratesController] })
class CratesModule {}

describeInside('The fields of a feature', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, [CratesModule]);
  });
  afterAll(() => service.stop());

  const pack = (members: string) => service.post('/v1/crates', `{"label":"ab"${members && `,${members}`}}`);

  it('are answered as they came, with their defaults', async () => {
    const all =
      '"owner":9007199254740993,"quantity":9,"size":"large","closed":true,"shipDate":"2026-03-31T16:30:00.5+02:00"';
    const { status, text } = await pack(all);
    const answered = all.replace('16:30:00.5+02:00', '14:30:00.500Z');
    expect({ status, text }).toEqual({ status: 200, text: `{"label":"ab",${answered}}` });
    expectAnswer(await pack(''), 200, { label: 'ab', quantity: 1, closed: false });
  });

  it.each([
    ['"label":"a"', 'label', 'a string of 2 to 5 characters'],
    ['"owner":1.5', 'owner', 'an integer from -9223372036854775808 to 9223372036854775807'],
    ['"quantity":10', 'quantity', 'an integer from 1 to 9'],
    ['"size":"huge"', 'size', 'one of small, large'],
    ['"closed":"true"', 'closed', 'true or false: leave out the quotes'],
    ['"shipDate":"2026-02-30T00:00:00Z"', 'shipDate', 'a date-time of RFC 3339'],
  ])('name what was expected: %s', async (member, name, expected) => {
    const answer = await service.post(
      '/v1/crates',
      `{"label":"ab",${member}}`.replace('"label":"ab","label"', '"label"'),
    );
    expectError(answer, 'invalid_field', expect.stringContaining(`The field "${name}" must be ${expected}`));
  });

  it.each([
    ['{}', 'nothing'],
    ['{"shipDate":null}', 'shipDate: null'],
    ['{"closed":true}', 'closed: Boolean true'],
    ['{"shipDate":"0001-01-01T00:00:00Z"}', 'shipDate: Date 0001-01-01T00:00:00.000Z'],
  ])('of a merge patch are what was sent: %s', async (body, got) => {
    expectAnswer(await service.patch('/v1/crates/1', body), 200, { got });
  });

  it('have declared errors, which the document knows', async () => {
    expectError(await service.patch('/v1/crates/2', {}), 'crate_locked', 'The crate is locked.', 409);
    const { json } = await service.call('GET', '/openapi.json');
    const { paths } = json as { paths: Record<string, { patch: { responses: Record<string, object> } }> };
    const conflict = JSON.stringify(paths['/crates/{crateId}']!.patch.responses['409']);
    expect(conflict).toContain('crate_locked');
  });

  it('fail a test when an operation answers an error that it does not document', async () => {
    await expect(service.get('/v1/crates/1')).rejects.toThrow(/answered 409, which getCrate does not document/);
    expectError(await service.get('/v1/crates/3'), 'not_found', 'There is no such crate.');
  });

  it('are described by OpenAPI 3.1', async () => {
    const { json } = await service.call('GET', '/openapi.json');
    const { components } = json as { components: { schemas: Record<string, object> } };
    expect(components.schemas['NewCrate']).toMatchObject({
      additionalProperties: false,
      required: ['label'],
      properties: {
        label: { type: 'string', minLength: 2, maxLength: 5, pattern: expect.any(String) },
        owner: { type: 'integer', format: 'int64' },
        quantity: { type: 'integer', format: 'int32', minimum: 1, maximum: 9, default: 1 },
        closed: { type: 'boolean', default: false },
        shipDate: { type: 'string', format: 'date-time' },
      },
    });
    expect(components.schemas['CrateSize']).toMatchObject({ type: 'string', enum: SIZES });
    expect(components.schemas['CrateChange']).toMatchObject({
      properties: {
        shipDate: { type: ['string', 'null'], format: 'date-time' },
        closed: { type: 'boolean', enum: [true] },
      },
    });
  });
});
