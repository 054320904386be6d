import { describe, expect, it } from '@jest/globals';
import { readFields } from './fields.mjs';
import { readNames } from './names.mjs';
import { splitFields } from './nested.mjs';
import { readOperations } from './operations.mjs';

const read = (table, only) => readFields(splitFields(table), readNames('toys'), readOperations(only));

describe('readFields', () => {
  it('reads name, kind, reference, default, and whether a field may be absent', () => {
    const [name, makerId, petId, stock] = read(
      'name:text(255) makerId:int64? petId:int64->pets stock:integer(0..9)=1',
    );
    expect(name).toMatchObject({
      name: 'name',
      type: 'Name',
      kind: 'text',
      optional: false,
      initial: undefined,
    });
    expect(makerId).toMatchObject({ column: 'maker_id', words: 'maker id', optional: true });
    expect(petId.reference).toMatchObject({ table: 'pets', type: 'Pet', add: 'addPets' });
    expect(stock).toMatchObject({ rowType: 'number', initial: '1', samples: ['0', '1'] });
  });

  it.each([
    ['decimal', ['1.001', '-1', '1000000', "'1'"]],
    ['decimal(-5.5..9.9)', ['-4.01', '-6', '10', "'1'"]],
    ['decimal(3..9)', ['4.1', '2', '10', "'1'"]],
  ])('breaks one rule of a %s at a time', (kind, invalid) => {
    expect(read(`price:${kind}`)[0].invalid).toEqual(invalid);
  });

  it('reads an object', () => {
    const [address, name] = read('address:{street:text(80) floor:integer(0..9)?}? name:text(9)');
    expect(address).toMatchObject({
      name: 'address',
      optional: true,
      rowType: 'SampleThingAddressDto',
      bodyType: '{ street: string; floor?: number }',
      samples: ["{ street: 'Sample', floor: 0 }", "{ street: 'Other', floor: 1 }"],
      kept: ["{ street: 'Sample' }", "{ street: 'x'.repeat(80), floor: 9 }"],
      parts: [
        { name: 'street', optional: false },
        { name: 'floor', optional: true },
      ],
    });
    expect(name.parts).toBeUndefined();
  });

  it.each([
    ['name', 'The field "name" is not readable. Write name:kind, such as'],
    ['Name:int64', 'write its name in camel case, such as makerId.'],
    ['maker_id:int64', 'write its name in camel case, such as makerId.'],
    ['id:int64', 'the service assigns the id; leave it out.'],
    ['order:int64', '"order" is a reserved word. Choose another name, such as toyOrder.'],
    ['class:int64', '"class" is a reserved word. Choose another name, such as toyClass.'],
    ['constructor:int64', '"constructor" is a reserved word.'],
    ['path:int64', 'the generated code uses "ToyPath" for something else. Choose another name.'],
    ['name:varchar', 'there is no kind "varchar". Write name:kind, such as'],
    ['name:text', 'write its longest length, such as text(255)'],
    ['name:text(0)', 'write its longest length, such as text(255)'],
    ['stock:integer(5..1)', 'write its bounds, such as integer(1..1000).'],
    ['stock:integer(1..9)=10', 'its default must be an integer from 1 to 9.'],
    [
      'price:decimal(0..1.1234567)',
      'write its bounds with the decimal places that it has, such as decimal(0..999.99)',
    ],
    ['price:decimal(1..9.99)=0', 'its default must be a number from 1 to 9.99.'],
    ['sold:boolean=yes', 'its default must be true or false.'],
    ['shipped:dateTime=now', 'this kind takes no default. Leave out the "=".'],
    ['makerId:int64(5)', 'this kind takes nothing in parentheses.'],
    ['kind:oneOf(soft)', 'write two or more values in lower_snake_case, such as oneOf(new|used).'],
    ['kind:oneOf(soft|soft)', 'write two or more values in lower_snake_case'],
    ['kind:oneOf(soft|hard)=odd', 'its default must be one of soft, hard.'],
    [
      'stock:integer(1..9)?=1',
      'leave out the "?": a field with a default may be left out of a request anyway.',
    ],
    ['name:text(9):unique', 'only an email, or a text of 20 to 500 characters, can be unique'],
    ['name:text(99):unique?', 'and it is always there.'],
    ['makerId:int64:unique', 'only an email'],
    ['petId:text(9)->pets', 'a reference is an int64, such as petId:int64->pets.'],
    ['petId:int64->pets=1', 'this kind takes no default. Leave out the "=".'],
    ['petId:int64->cats', 'there is no table "cats". Tables: '],
    ['keyId:int64->api_keys', 'tests need a function in test/e2e/support/api-keys.ts that adds api-keys'],
    [`${'x'.repeat(60)}:int64->pets`, 'would be too long. Shorten its name.'],
    ['address:{city:text(9)', 'The field "address:{city:text(9)" is not readable.'],
    ['address:{}', 'it is empty. Write its fields in braces, such as address:{street:text(80)'],
    ['address:{city}', '"city" is not readable. Write its fields in braces'],
    ['address:{City:text(9)}', '"City:text(9)": write its name in camel case'],
    ['address:{constructor:text(9)}', '"constructor:text(9)": write its name in camel case'],
    ['address:{city:text}', '"city:text": write its longest length'],
    ['address:{kind:oneOf(a|b)}', 'an object has no fields of the kind "oneOf".'],
    ['address:{a:boolean a:boolean}', 'there are two fields "a". Leave one out.'],
    ['address:{city:text(9)}=1', 'this kind takes no default.'],
    ['address:{city:text(9)}:unique', 'only an email'],
    ['change:{city:text(9)}', 'the generated code uses "ToyChange" for something else.'],
    ['name:constructor', 'there is no kind "constructor".'],
    ['a:int64 a:int64', 'There are two fields "a". Leave one out.'],
  ])('refuses %s and says what to write', (table, message) => {
    expect(() => read(table)).toThrow(message);
  });
});

describe('readOperations', () => {
  it('needs something to change for an update', () => {
    expect(() => read('petId:int64->pets', 'create,update')).toThrow(
      'An update needs a field that it can change.',
    );
  });

  it('reads the names of operations', () => {
    expect([...readOperations(undefined)]).toEqual(['list', 'create', 'get']);
    expect([...readOperations('list,create')]).toEqual(['list', 'create']);
  });

  it.each([
    ['list,patch', 'There is no operation "patch". Name some of list, create, get, update, delete'],
    ['list, create', 'There is no operation " create".'],
    ['', 'There is no operation "".'],
    ['list,get', 'Name "create" too'],
  ])('refuses "%s" and says what to write', (only, message) => {
    expect(() => readOperations(only)).toThrow(message);
  });
});
