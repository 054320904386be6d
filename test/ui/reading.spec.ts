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
          { content: Record<string, { examples?: Record<string, { value: object }> }> }
        >;
      }
    >
  >;
}

test('the page has a title, an icon of its own and an introduction that tells how to get a key', async ({
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
  await expect(page.locator('.info')).toContainText('npm run keys -- issue --name');
});

test('the bare address leads to it', async ({ page }) => {
  await page.goto(ORIGIN);
  await expect(page).toHaveURL(`${ORIGIN}/docs`);
});

test('a deprecated operation is struck through, with its end and what replaces it, before it is opened', async ({
  docs,
}) => {
  const summary = docs.operation('getPet').locator('.opblock-summary');
  await expect(summary.getByText('/pets/{petId}')).toBeVisible();
  await expect(summary.locator('[data-path]')).toHaveCSS('text-decoration-line', 'line-through');
  await expect(summary.locator('.deprecation-notice')).toHaveText(
    'To be removed on 5 December 2030. Use GET /pets with the status filter instead.',
  );
  await expect(docs.operation('listPets').locator('[data-path]')).toHaveCSS('text-decoration-line', 'none');
  await expect(docs.operation('listPets').locator('.deprecation-notice')).toHaveCount(0);
});

test('operations carry a mark of their stability', async ({ page }) => {
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
  await expect(docs.operation('listPets').locator('.stability')).toHaveText('beta');
  await expect(docs.operation('createPet').locator('.stability')).toHaveText('stable');
  await expect(docs.operation('getPet').locator('.stability')).toHaveText('deprecated');
});

test('there is an example for every request, every answer and every code of an error', async ({ docs }) => {
  const { paths } = (await (await docs.page.request.get(`${ORIGIN}/openapi.json`)).json()) as Document;
  for (const { operationId, responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const operation = await docs.unfold(operationId);
    for (const [status, { content }] of Object.entries(responses)) {
      const shown = operation.locator(
        `.responses-table:not(.live-responses-table) > tbody > tr[data-code="${status}"]`,
      );
      for (const [name, { value }] of Object.entries(content['application/json']?.examples ?? {})) {
        const choice = shown.getByLabel('Example', { exact: true });
        if (await choice.count()) await choice.selectOption(name);
        const example = await shown.locator('.highlight-code pre').innerText();
        expect(JSON.parse(example)).toEqual(value);
      }
      if (content['application/json']?.examples) continue;
      expect(JSON.parse(await shown.locator('.highlight-code pre').innerText())).toHaveProperty('message');
    }
    await operation.locator('.opblock-summary-control').click();
  }
  const body = (await docs.unfold('createPet')).locator('.opblock-section-request-body');
  await expect(body.getByLabel('Example', { exact: true }).locator('option')).toHaveText([
    'An animal with all its fields',
    'Only what must be there',
    'The largest category id',
  ]);
});

test('examples and bounds keep all the digits of large numbers', async ({ docs }) => {
  const operation = await docs.unfold('getPet');
  const answer = operation.locator('.responses-table tr[data-code="200"]');
  await answer.getByLabel('Example', { exact: true }).selectOption('largeNumbers');
  await expect(answer.locator('.highlight-code pre')).toContainText('"id": 9007199254740993,');
  await expect(operation.locator('.parameters')).toContainText(
    'From -9223372036854775808 to 9223372036854775807.',
  );
});

test('this deployment, production and staging can be chosen', async ({ docs: { page } }) => {
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

for (const name of ['listPets', 'createPet', 'getPet'] as const) {
  test(`an address leads to ${name}, unfolded`, async ({ page }) => {
    const docs = new DocsPage(page);
    await docs.open(`#/pets/${name}`);
    await expect(docs.operation(name).locator('.execute')).toBeInViewport();
    await expect(page.locator('.execute')).toHaveCount(1);
  });
}
