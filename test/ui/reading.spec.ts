import { DocsPage, expect, ORIGIN, type OperationName, test } from './support/docs-page.js';

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: OperationName;
        responses: Record<
          string,
          { description: string; content?: Record<string, { examples?: Record<string, { value: object }> }> }
        >;
      }
    >
  >;
}

test('the page has a title, an icon and an introduction that explains how to get a key', async ({
  docs: { page },
}) => {
  await expect(page).toHaveTitle('Animal Store Service');
  const icon = await page.request.get(
    `${ORIGIN}${await page.locator('link[rel=icon]').getAttribute('href')}`,
  );
  expect(icon.headers()['content-type']).toBe('image/svg+xml');
  expect(
    await page.locator('.masthead img').evaluate((image) => Reflect.get(image, 'naturalWidth') as number),
  ).not.toBe(0);
  await expect(page.locator('.info')).toContainText('The operators of the service issue keys');
});

test('the root redirects to the page', async ({ page }) => {
  await page.goto(ORIGIN);
  await expect(page).toHaveURL(`${ORIGIN}/docs`);
});

test('a collapsed deprecated operation is struck through and shows its sunset and replacement', async ({
  docs,
}) => {
  const summary = docs.operation('getPet').locator('.opblock-summary');
  await expect(summary.getByText('/pets/{petId}')).toBeVisible();
  await expect(summary.locator('[data-path]')).toHaveCSS('text-decoration-line', 'line-through');
  const notice = summary.locator('.deprecation-notice');
  await expect(notice).toHaveText(
    'To be removed on 5 December 2030. Use GET /pets with the status filter instead, or with ids to look up animals by id.',
  );
  await expect(notice).toBeVisible();
  await docs.page.setViewportSize({ width: 375, height: 720 });
  await expect(notice).toBeVisible();
  await expect(docs.operation('listPets').locator('[data-path]')).toHaveCSS('text-decoration-line', 'none');
  await expect(docs.operation('listPets').locator('.deprecation-notice')).toHaveCount(0);
});

test('operations show their stability', async ({ page }) => {
  await page.route('**/docs/document.json', async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    await route.fulfill({
      response: answer,
      body: text.replace('"x-stability":"stable"', '"x-stability":"beta"'),
    });
  });
  const docs = new DocsPage(page);
  await docs.open();
  for (const [name, stability] of [
    ['listPets', 'beta'],
    ['createPet', 'stable'],
    ['getPet', 'deprecated'],
    ['listOrders', 'experimental'],
    ['createOrder', 'experimental'],
    ['getOrder', 'experimental'],
    ['updateOrder', 'experimental'],
    ['deleteOrder', 'experimental'],
  ] as const) {
    const mark = docs.operation(name).locator('.stability');
    await expect(mark).toHaveText(stability);
    await expect(mark).toHaveClass(new RegExp(`\\bstability-${stability}\\b`));
    await expect(mark).toBeVisible();
  }
});

test('the groups are animals and the store', async ({ docs: { page } }) => {
  await expect(page.locator('.opblock-tag')).toHaveText([/^pets/, /^store.*Orders of animals/s]);
  await expect(
    page.locator('.opblock-tag-section', { hasText: 'Orders of animals' }).locator('.opblock'),
  ).toHaveCount(5);
});

test('every request has an example that is ready to send', async ({ docs }) => {
  const createPet = await docs.unfold('createPet');
  const body = createPet.locator('.opblock-section-request-body');
  const choice = body.getByLabel('Example', { exact: true });
  await expect(choice.locator('option')).toHaveText([
    'An animal with all its fields',
    'Only what must be there',
    'The largest category id',
  ]);
  for (const [name, text] of [
    ['complete', '"status": "available"'],
    ['minimal', '"categoryId": 2'],
    ['largeNumbers', '"categoryId": 9223372036854775807'],
  ] as const) {
    await choice.selectOption(name);
    await expect(body.getByLabel('Request body')).toHaveValue(new RegExp(`"name": "[^]+${text}`));
  }
  await expect((await docs.unfold('listPets')).getByLabel('limit', { exact: true })).toHaveValue('20');
  await expect((await docs.unfold('getPet')).getByLabel('petId', { exact: true })).toHaveValue('1');
});

test('every answer and every error code has an example', async ({ docs }) => {
  const { paths } = (await (await docs.page.request.get(`${ORIGIN}/openapi.json`)).json()) as Document;
  for (const { operationId, responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const operation = await docs.unfold(operationId);
    for (const [status, { description, content }] of Object.entries(responses)) {
      const shown = operation.locator(
        `.responses-table:not(.live-responses-table) > tbody > tr[data-code="${status}"]`,
      );
      if (status === 'default') {
        expect(JSON.parse(await shown.locator('.highlight-code pre').innerText())).toHaveProperty('message');
        continue;
      }
      if (!content) continue;
      const examples = content['application/json']?.examples ?? {};
      const codes = [...description.matchAll(/^`(\w+)`: /gm)].map(([, code]) => code);
      expect(Object.keys(examples)).not.toEqual([]);
      if (status >= '400') expect(Object.keys(examples)).toEqual(codes);
      for (const [name, { value }] of Object.entries(examples)) {
        await shown.getByLabel('Example', { exact: true }).selectOption(name);
        const example = await shown.locator('.highlight-code pre').innerText();
        expect(JSON.parse(example)).toEqual(value);
      }
    }
    await operation.locator('.opblock-summary-control').click();
  }
});

test('examples and bounds show every digit of large numbers', async ({ docs }) => {
  const operation = await docs.unfold('getPet');
  const answer = operation.locator('.responses-table tr[data-code="200"]');
  await answer.getByLabel('Example', { exact: true }).selectOption('largeNumbers');
  await expect(answer.locator('.highlight-code pre')).toContainText('"id": 9007199254740993,');
  await expect(operation.locator('.parameters')).toContainText(
    'From -9223372036854775808 to 9223372036854775807.',
  );
});

test('the server can be this deployment, production or staging', async ({ docs: { page } }) => {
  const server = page.getByLabel('Server', { exact: true });
  await expect(server.locator('option')).toHaveText([
    '/v1 - This deployment',
    '{base_url} - Production',
    '{staging_base_url} - Staging',
  ]);
  const address = page.locator('.computed-url');
  await server.selectOption('{base_url}');
  await expect(address).toContainText('https://api.example.com/v1');
  await server.selectOption('{staging_base_url}');
  await expect(address).toContainText('https://staging.example.com/v1');
});

for (const [tag, name] of [
  ['pets', 'listPets'],
  ['pets', 'createPet'],
  ['pets', 'getPet'],
  ['store', 'updateOrder'],
] as const) {
  test(`a deep link opens ${name} expanded`, async ({ page }) => {
    const docs = new DocsPage(page);
    await docs.open(`#/${tag}/${name}`);
    await expect(docs.operation(name).locator('.execute')).toBeInViewport();
    await expect(page.locator('.execute')).toHaveCount(1);
  });
}

test('expanding an operation updates the URL', async ({ docs }) => {
  await docs.unfold('createPet');
  await expect(docs.page).toHaveURL(`${ORIGIN}/docs#/pets/createPet`);
});

test('a list shows what it holds, and long patterns stay on one line', async ({ docs: { page } }) => {
  const schema = (name: string) =>
    page.locator('.models .json-schema-2020-12', {
      has: page.locator('.json-schema-2020-12__title', { hasText: new RegExp(`^${name}$`) }),
    });
  await expect(schema('Pets').first().locator('.list-of')).toHaveText('array<Pet>');
  await expect(schema('Orders').first().locator('.list-of')).toHaveText('array<Order>');
  await schema('Pets').first().getByRole('button', { name: 'Expand all' }).first().click();
  await expect(schema('Pets').first()).toContainText('categoryId');
  const pattern = schema('Pets').first().getByText('matches');
  expect((await pattern.first().boundingBox())!.height).toBeLessThan(24);
});

test('no Idempotency-Key is sent unasked', async ({ docs }) => {
  const createPet = await docs.unfold('createPet');
  await expect(createPet.getByLabel('Idempotency-Key', { exact: true })).toHaveValue('');
});
