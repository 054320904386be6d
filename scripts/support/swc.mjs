/** swc options for the tests and `npm run dev`: equivalent to tsconfig.json, without type checks. */
export const typescript = {
  target: 'es2023',
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  keepClassNames: true,
};
