// What a field of each kind is in the code: its rule, column and types, and values for examples and tests. `read` takes
// what is written between the parentheses. Values are source text.

export const CAMEL = /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/;
const INT32 = [-2_147_483_648, 2_147_483_647];

export const KINDS = {
  text: {
    read(range, fail) {
      const [min, max] = bounds(range, /^(?:([0-9]+)\.\.)?([0-9]+)$/, [1, NaN]);
      if (!(min >= 0 && max >= Math.max(min, 1) && max <= 10_000))
        fail('write its longest length, such as text(255), or both, such as text(2..255).');
      return {
        rowType: 'string',
        columnType: 'text',
        uniqueCode: 'uniqueText()',
        uniqueKept: [`uniqueText().padEnd(${max}, 'x')`],
        canBeUnique: min <= 20 && max >= 20 && max <= 500, // as uniqueText() writes them; an index entry has a limit
        rule: 'length',
        check: (column) => `char_length(${column}) BETWEEN ${min} AND ${max}`,
        ruleCode: `text({ minLength: ${min}, maxLength: ${max} })`,
        samples: ['Sample', 'Other'].map((word) => quoted(word.padEnd(min, 'x').slice(0, max))),
        kept: [`'x'.repeat(${max})`],
        invalid: [min > 0 && "''", "' '", "'two\\nlines'", `'x'.repeat(${max + 1})`].filter(Boolean),
        readInitial: quoted,
      };
    },
  },
  email: {
    read(range, fail) {
      refuseRange(range, fail);
      return {
        rowType: 'string',
        columnType: 'text',
        canBeUnique: true,
        uniqueCode: '`${uniqueText()}@example.com`',
        uniqueKept: ['`First.Last+${uniqueText()}@mail.example.com`'],
        ruleCode: 'email()',
        samples: ["'rex@example.com'", "'bella@example.com'"],
        kept: ["'First.Last+tag@mail.example.com'"],
        invalid: ["''", "'rex'", "'rex@'", "'a@b.example, c@d.example'", '0'],
      };
    },
  },
  int64: {
    read(range, fail) {
      refuseRange(range, fail);
      return {
        rowType: 'bigint',
        columnType: 'bigint',
        ruleCode: 'int64()',
        bodyType: 'number | bigint',
        samples: ['7', '8'],
        kept: ['9_223_372_036_854_775_807n'],
        invalid: ['1.5', "'7'", '9_223_372_036_854_775_808n'],
        readInitial: (text, fail) =>
          /^-?\d{1,18}$/.test(text) ? `${grouped(text)}n` : fail('its default must be an integer.'),
      };
    },
  },
  integer: {
    read(range, fail) {
      const [min, max] = bounds(range, /^(-?[0-9]+)\.\.(-?[0-9]+)$/, INT32);
      if (!(min < max && min >= INT32[0] && max <= INT32[1]))
        fail('write its bounds, such as integer(1..1000).');
      return {
        rowType: 'number',
        columnType: 'integer',
        rule: 'range',
        check: (column) => `${column} BETWEEN ${min} AND ${max}`,
        ruleCode: `integer({ minimum: ${grouped(min)}, maximum: ${grouped(max)} })`,
        samples: [min, min + 1].map(grouped),
        kept: [grouped(max)],
        invalid: [grouped(min - 1), grouped(max + 1), '1.5'],
        readInitial: (text, fail) =>
          /^-?\d+$/.test(text) && text >= min && text <= max
            ? grouped(text)
            : fail(`its default must be an integer from ${min} to ${max}.`),
      };
    },
  },
  decimal: {
    read(range, fail) {
      const [, min = '0', max = '999999.99'] =
        range === undefined ? [] : (/^(-?\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)$/.exec(range) ?? [null, '1', '0']);
      const scale = max.split('.')[1]?.length ?? 0;
      const precision =
        Math.max(...[min, max].map((bound) => Math.trunc(Math.abs(bound)).toString().length)) + scale;
      if (!(Number(max) >= Number(min) + 2) || scale > 6 || precision > 15) {
        fail(
          'write its bounds with the decimal places that it has, such as decimal(0..999.99): 6 places and 15 digits at most.',
        );
      }
      const sample = (add) => (Math.trunc(min) + add + (scale && 0.25)).toFixed(Math.min(scale, 2));
      return {
        rowType: 'Decimal',
        columnType: 'numeric',
        columnOptions: [`precision: ${precision}`, `scale: ${scale}`],
        sqlType: `numeric(${precision}, ${scale})`,
        rule: 'range',
        check: (column) => `${column} BETWEEN ${min} AND ${max}`,
        ruleCode: `decimal({ minimum: ${min}, maximum: ${max}, scale: ${scale} })`,
        bodyType: 'number',
        samples: [sample(0), sample(1)],
        kept: [max],
        // one that has too many places, and one beyond each bound
        invalid: [
          `${Math.trunc(min) + 1}.${'0'.repeat(scale)}1`,
          `${Math.trunc(min) - 1}`,
          `${Math.trunc(max) + 1}`,
          "'1'",
        ],
        readInitial: (text, fail) =>
          /^-?\d+(\.\d+)?$/.test(text) && Number(text) >= Number(min) && Number(text) <= Number(max)
            ? text
            : fail(`its default must be a number from ${min} to ${max}.`),
      };
    },
  },
  boolean: {
    read(range, fail) {
      refuseRange(range, fail);
      return {
        rowType: 'boolean',
        columnType: 'boolean',
        ruleCode: 'boolean()',
        samples: ['true', 'false'],
        kept: [],
        invalid: ["'true'", '1'],
        readInitial: (text, fail) =>
          ['true', 'false'].includes(text) ? text : fail('its default must be true or false.'),
      };
    },
  },
  dateTime: {
    read(range, fail) {
      refuseRange(range, fail);
      return {
        rowType: 'Date',
        columnType: 'timestamp with time zone',
        columnOptions: ['precision: 3'],
        sqlType: 'timestamptz(3)',
        ruleCode: 'dateTime()',
        bodyType: 'string',
        samples: ["'2026-03-31T14:30:00.000Z'", "'2026-04-01T08:00:00.250Z'"],
        kept: ["'9999-12-31T23:59:59.999Z'"],
        invalid: ["'2026-02-30T12:00:00Z'", "'2026-03-31'", '0'],
      };
    },
  },
  oneOf: {
    read(range, fail, { type, constant }) {
      const values = range?.split('|') ?? [];
      if (
        values.length < 2 ||
        new Set(values).size < values.length ||
        !values.every((value) => /^[a-z][a-z0-9_]*$/.test(value))
      ) {
        fail('write two or more values in lower_snake_case, such as oneOf(new|used).');
      }
      return {
        rowType: `SampleThing${type}`,
        columnType: 'text',
        rule: 'known',
        check: (column) => `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`,
        ruleCode: `sampleThing${type}`,
        bodyType: 'string',
        values: { list: `SAMPLE_THING_${pluralOf(constant)}`, code: `[${values.map(quoted).join(', ')}]` },
        samples: values.slice(0, 2).map(quoted),
        kept: [quoted(values.at(-1))],
        invalid: ["''", quoted(`not_${values[0]}`), '0'],
        readInitial: (text, fail) =>
          values.includes(text) ? quoted(text) : fail(`its default must be one of ${values.join(', ')}.`),
      };
    },
  },
};

function bounds(range, pattern, [min, max]) {
  if (range === undefined) return [min, max];
  const [, from = min, to = NaN] = pattern.exec(range) ?? [];
  return [Number(from), Number(to)];
}

function refuseRange(range, fail) {
  if (range !== undefined) fail('this kind takes nothing in parentheses.');
}

function quoted(text) {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

function grouped(number) {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, '_');
}

function pluralOf(constant) {
  if (/[^AEIOU]Y$/.test(constant)) return constant.replace(/Y$/, 'IES');
  return /(S|X|Z|CH|SH)$/.test(constant) ? `${constant}ES` : `${constant}S`;
}
