import { repairAccessibility } from './accessibility.js';
import { AnimalStorePlugin } from './plugin.js';

const answer = await fetch(new URL('document.json', import.meta.url));
globalThis.SwaggerUIBundle({
  domNode: document.getElementById('page'),
  spec: await answer.json(),
  plugins: [AnimalStorePlugin],
  validatorUrl: null,
  persistAuthorization: true,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
});
repairAccessibility(document.getElementById('page'));
