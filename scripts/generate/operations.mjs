export const OPERATIONS = ['list', 'create', 'get', 'update', 'delete'];
const USUAL = ['list', 'create', 'get'];

/** Reads the operations of --only, such as "list,create", or throws an error that says what to write. */
export function readOperations(only) {
  const names = only?.split(',') ?? USUAL;
  const unknown = names.find((name) => !OPERATIONS.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `There is no operation "${unknown}". Name some of ${OPERATIONS.join(', ')}, such as --only list,create.`,
    );
  }
  if (!names.includes('create')) {
    throw new Error(
      'Name "create" too: clients and tests add through it. Remove it later if something else adds.',
    );
  }
  return new Set(names);
}

/** The operations, and other conditions, that need a file of the template. */
export function needsOf(path) {
  if (/list-sample/.test(path)) return ['list'];
  if (/create-sample-thing\.spec/.test(path)) return ['create'];
  if (/get-sample/.test(path)) return ['get'];
  if (/update-sample|-change\.dto/.test(path)) return ['update'];
  if (/delete-sample/.test(path)) return ['delete'];
  if (path.endsWith('.path.ts')) return ['get', 'update', 'delete'];
  if (path.endsWith('.errors.ts')) return ['references', 'unique'];
  return OPERATIONS;
}
