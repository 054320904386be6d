import { describe, expect, it } from '@jest/globals';
import { readFields } from './fields.mjs';
import { filesOf } from './files.mjs';
import { readNames, rename } from './names.mjs';
import { splitFields } from './nested.mjs';
import { readOperations } from './operations.mjs';
import { refuseTaken } from './taken.mjs';

describe('readNames', () => {
  it.each([
    ['toys', 'toy', undefined],
    ['pet-toys', 'pet-toy', undefined],
    ['categories', 'category', undefined],
    ['dishes', 'dish', undefined],
    ['witnesses', 'witness', undefined],
    ['horses', 'horse', 'horse'],
    ['people', 'person', 'person'],
  ])('derives or takes the singular: %s, %s', (plural, singular, given) => {
    expect(readNames(plural, { singular: given })).toEqual({ plural, singular, path: plural });
  });

  it('takes a path, which may be nested', () => {
    const path = 'store/pet-toys';
    expect(readNames('toys', { path })).toEqual({ plural: 'toys', singular: 'toy', path });
  });

  it.each(['/toys', 'toys/', 'store//toys', 'Store/toys', 'toys/{toyId}', ''])(
    'refuses the path "%s"',
    (path) => {
      expect(() => readNames('toys', { path })).toThrow('Write it below the version, such as store/orders.');
    },
  );

  it.each([
    ['Toys', undefined, '"Toys" is not a valid name.'],
    ['toy_s', undefined, '"toy_s" is not a valid name.'],
    ['../toys', undefined, '"../toys" is not a valid name.'],
    ['toys', 'Toy', '"Toy" is not a valid name.'],
    [`${'x'.repeat(40)}s`, undefined, 'no more than 40 characters'],
    ['sheep', undefined, 'The singular of "sheep" is not clear. Add: --singular <name>'],
    ['buses', undefined, 'The singular of "buses" is not clear. Add: --singular <name>'],
    ['sheep', 'sheep', 'The plural and the singular are both "sheep"'],
    ['classes', undefined, 'The generated code uses "class" for something else.'],
    ['pages', undefined, 'The generated code uses "Page" for something else.'],
    ['dates', undefined, 'The generated code uses "Date" for something else.'],
  ])('refuses %s with singular %s and says what to do', (plural, singular, message) => {
    expect(() => readNames(plural, { singular })).toThrow(message);
  });
});

describe('rename', () => {
  it('replaces the names of the template in every spelling', () => {
    const text = 'SampleThings sampleThing sample-things sample_thing SAMPLE_THINGS sample things';
    expect(rename(text, { plural: 'pet-toys', singular: 'pet-toy', path: 'pet-toys' })).toBe(
      'PetToys petToy pet-toys pet_toy PET_TOYS pet toys',
    );
    const route = "@Controller('sample/things') '/v1/sample/things/1'";
    expect(rename(route, { plural: 'toys', singular: 'toy', path: 'store/toys' })).toBe(
      "@Controller('store/toys') '/v1/store/toys/1'",
    );
    const sentence = 'A sample thing is a sample thing.';
    expect(rename(sentence, readNames('owls'))).toBe('An owl is an owl.');
    expect(rename(sentence, readNames('units'))).toBe('A unit is a unit.');
  });
});

describe('filesOf', () => {
  const generate = (table, { only, ...options } = {}) => {
    const names = readNames('toys', options);
    const operations = readOperations(only);
    return filesOf(
      { names, operations, fields: readFields(splitFields(table), names, operations) },
      1_234_567_890_123,
    );
  };

  it('replaces all template names, and puts the timestamp into the migration', async () => {
    const files = await generate('name:text(255) petId:int64->pets kind:oneOf(soft|hard)?', {
      path: 'store/toys',
    });
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'src/toys/toys.module.ts',
        'src/toys/toy-kind.ts',
        'src/toys/migrations/1234567890123-create-toys.ts',
        'test/e2e/list-toys.spec.ts',
      ]),
    );
    const all = Object.entries(files).flat().join('\n');
    expect(all).not.toMatch(/sample.?thing/i);
    expect(all).not.toMatch(/\$\w+\$|\/\/ (?:if|else|end)\b/);
    expect(all).not.toContain('1000000000000');
    expect(all).toContain('class CreateToys1234567890123');
    expect(all).toContain("@Controller('store/toys')");
  });

  it.each([
    ['name:text(255)', 'distributed'],
    ['name:text(255):unique', 'everywhere'],
    ['petId:int64->pets', 'distributed'],
    ['petId:int64->pets?', 'unsupported'],
    ['name:text(255):unique petId:int64->pets', 'unsupported'],
    ['petId:int64->pets parentId:int64->pets', 'unsupported'],
    ['orderId:int64->orders', 'unsupported'],
  ])('says how a cluster keeps a table of %s: %s', async (table, kept) => {
    const files = await generate(table);
    expect(files['src/toys/toy.entity.ts']).toContain(`@Kept('${kept}')\n@Entity('toys')`);
  });

  it('writes only what the operations need', async () => {
    const files = await generate('name:text(255)', { only: 'create' });
    expect(Object.keys(files).filter((path) => /list-|get-|path/.test(path))).toEqual([]);
    expect(Object.values(files).join('\n')).not.toMatch(/findPage|findById|notFound|Location/);
  });

  it('writes the rule of each field once for every layer', async () => {
    const files = await generate(
      'name:text(2..80) stock:integer(1..9)? petId:int64->pets kind:oneOf(soft|hard)',
    );
    const [, migration] = Object.entries(files).find(([path]) => path.includes('migrations/'));
    expect(migration).toContain(`
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT toys_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT toys_name_length CHECK (char_length(name) BETWEEN 2 AND 80),
        stock integer CONSTRAINT toys_stock_range CHECK (stock BETWEEN 1 AND 9),
        pet_id bigint NOT NULL CONSTRAINT toys_pet_id_fkey REFERENCES pets (id),
        kind text NOT NULL CONSTRAINT toys_kind_known CHECK (kind IN ('soft', 'hard'))
      )`);
    expect(migration).toContain("'CREATE INDEX toys_pet_id ON toys (pet_id, id)'");
    const entity = files['src/toys/toy.entity.ts'];
    expect(entity).toContain("@Check('toys_stock_range', 'stock BETWEEN 1 AND 9')");
    expect(entity).toContain("@ForeignKey('pets', { name: 'toys_pet_id_fkey' })");
    expect(entity).toContain("@Index('toys_pet_id', ['petId', 'id'])");
  });

  it('writes a DTO for an object', async () => {
    const files = await generate('address:{street:text(80) floor:integer(0..9)?}', { only: 'create' });
    const dto = files['src/toys/dto/toy-address.dto.ts'];
    expect(dto).toContain("import { integer, text } from '../../api/validation/rule.js';");
    expect(dto).toContain("@ApiSchema({ name: 'ToyAddress', description: 'The address of a toy.' })");
    expect(dto).toMatch(/@OptionalField\(.*\n.*\n.*\n\s*}\)\n  readonly floor\?: number;/);
    expect(files['src/toys/toy.entity.ts']).toContain(
      "@Column('jsonb', { transformer: jsonOf(ToyAddressDto) })\n  readonly address!: ToyAddressDto;",
    );
    expect(files['src/toys/dto/toy.fields.ts']).toContain('Field(nested(ToyAddressDto)');
    const tests = files['test/e2e/create-toy.spec.ts'];
    expect(tests).toContain("['missing_field', 'address.street', { address: { floor: 0 } }]");
    expect(tests).toContain(
      "['unknown_field', 'address.surprise', { address: { ...TOY.address, surprise: 1 } }]",
    );
  });
});

describe('refuseTaken', () => {
  it.each([
    ['pets', 'pet', [], 'src/pets already exists.'],
    ['toys', 'toy', ['test/e2e/list-pets.spec.ts'], 'test/e2e/list-pets.spec.ts already exists.'],
    ['api-keys', 'api-key', [], 'src/auth/api-key.entity.ts already has a table "api_keys".'],
    ['pet-statuses', 'pet-status', [], 'The document already has a schema "PetStatus".'],
  ])('refuses %s, which would collide', (plural, singular, paths, message) => {
    expect(() => refuseTaken({ plural, singular, path: plural }, [], paths)).toThrow(message);
  });

  it('refuses a path and an enumeration that the document already has', () => {
    const names = { plural: 'toys', singular: 'toy', path: 'pets' };
    expect(() => refuseTaken(names, [], [])).toThrow('The document already has a path /pets.');
    const [, ...fields] = readFields(['name:text(9)', 'status:oneOf(on|off)'], readNames('toys'), new Set());
    const owner = { plural: 'pet-owners', singular: 'pet', path: 'owners' };
    expect(() => refuseTaken(owner, fields, [])).toThrow('The document already has a schema "Pet"');
  });

  it('accepts a free name', () => {
    expect(() => refuseTaken(readNames('toys'), [], ['src/toys/toys.module.ts'])).not.toThrow();
  });
});
