export default {
  input: 'openapi.json',
  output: { path: 'api', importFileExtension: '.js' },
  plugins: ['zod', { name: '@hey-api/sdk', validator: true }],
};
