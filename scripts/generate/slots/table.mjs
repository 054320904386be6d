import { inQuotes } from './of-field.mjs';

export function entitySlots(each) {
  return {
    indices: each(
      ({ reference, unique, name, column }) =>
        (reference && `@Index('sample_things_${column}', ['${name}', 'id'])`) ||
        (unique && `@Index('sample_things_${column}_unique', ['${name}'], { unique: true })`),
    ),
    checks: each(
      ({ check, column, rule }) =>
        check && `@Check('sample_things_${column}_${rule}', ${inQuotes(check(column))})`,
    ),
    columns: each(
      (field) =>
        `${foreignKey(field)}@Column(${columnArguments(field)})\nreadonly ${field.name}!: ${orNull(field)};`,
      '\n\n',
    ),
  };
}

function foreignKey({ reference, column }) {
  return reference ? `@ForeignKey('${reference.table}', { name: 'sample_things_${column}_fkey' })\n` : '';
}

function columnArguments({ columnType, columnOptions = [], name, column, optional }) {
  const options = [
    column !== name && `name: '${column}'`,
    ...columnOptions,
    optional && 'nullable: true',
  ].filter(Boolean);
  return options.length > 0 ? `'${columnType}', { ${options.join(', ')} }` : `'${columnType}'`;
}

function orNull({ rowType, optional }) {
  return optional ? `${rowType} | null` : rowType;
}

export function migrationSlots(each) {
  return {
    columnsInSql: each((field) => `,\n        ${columnInSql(field)}`, ''),
    indicesInSql: each(
      ({ reference, unique, column }) =>
        (reference &&
          `await runner.query('CREATE INDEX sample_things_${column} ON sample_things (${column}, id)');`) ||
        (unique &&
          `await runner.query('CREATE UNIQUE INDEX sample_things_${column}_unique ON sample_things (${column})');`),
    ),
  };
}

function columnInSql({ column, columnType, sqlType = columnType, optional, check, rule, reference }) {
  const parts = [`${column} ${sqlType}`];
  if (!optional) parts.push('NOT NULL');
  if (check) parts.push(`CONSTRAINT sample_things_${column}_${rule} CHECK (${check(column)})`);
  if (reference) parts.push(`CONSTRAINT sample_things_${column}_fkey REFERENCES ${reference.table} (id)`);
  return parts.join(' ');
}
