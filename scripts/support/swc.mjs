/** How swc compiles the TypeScript, for the tests and for `npm run dev`: as tsconfig.json asks for, without checking types. */
export const typescript = {
  target: 'es2023',
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  keepClassNames: true,
};
