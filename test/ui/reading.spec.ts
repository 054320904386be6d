import { DocsPage, expect, ORIGIN, test } from './support/docs-page.js';

test('the page has a title, an icon and groups, and says how to get a key', async ({ docs: { page } }) => {
  await expect(page).toHaveTitle('Animal Store Service');
  const icon = await page.request.get(`${ORIGIN}${await page.locator('link[rel=icon]').getAttribute('href')}`);
  expect(icon.headers()['content-type']).toBe('image/svg+xml');
  await expect(page.locator('.info')).toContainText('The operators of the service issue keys');
  await expect(page.locator('.opblock-tag').nth(0)).toHaveText(/^pets/);
  await expect(page.locator('.opblock-tag').nth(1)).toHaveText(/^store.*Orders of animals/s);
});

test('a deprecated operation is struck through and shows its end and its replacement', async ({ docs }) => {
  const summary = docs.operation('getPet').locator('.opblock-summary');
  await expect(summary.locator('[data-path]')).toHaveCSS('text-decoration-line', 'line-through');
  const notice = summary.locator('.deprecation-notice');
  await expect(notice).toContainText('5 December 2030');
  await expect(notice).toContainText('GET /pets');
  await docs.page.setViewportSize({ width: 375, height: 720 });
  await expect(notice).toBeVisible();
  await expect(docs.operation('listPets').locator('.deprecation-notice')).toHaveCount(0);
});

test('operations show their stability', async ({ docs }) => {
  const marks = { createPet: 'stable', getPet: 'deprecated', deleteOrder: 'experimental' };
  for (const [name, stability] of Object.entries(marks))
    await expect(docs.operation(name).locator('.stability')).toHaveText(stability);
});

test('a request has examples that are ready to send, and no Idempotency-Key unasked', async ({ docs }) => {
  const createPet = await docs.unfold('createPet');
  const body = createPet.locator('.opblock-section-request-body');
  const choice = body.getByLabel('Example', { exact: true });
  expect(await choice.locator('option').count()).toBeGreaterThan(1);
  await choice.selectOption('largeNumbers');
  await expect(body.getByLabel('Request body')).toHaveValue(/"categoryId": 9223372036854775807/);
  await expect(createPet.getByLabel('Idempotency-Key', { exact: true })).toHaveValue('');
  await expect((await docs.unfold('listPets')).getByLabel('limit', { exact: true })).toHaveValue('20');
});

test('answers and error codes have examples, with all digits', async ({ docs }) => {
  const operation = await docs.unfold('getPet');
  const codes = { 400: 'bad_request', 401: 'expired_api_key', 410: 'gone', 503: 'service_unavailable' };
  const rowOf = (status: string) => operation.locator(`.responses-table > tbody > tr[data-code="${status}"]`);
  for (const [status, code] of Object.entries(codes)) {
    await rowOf(status).getByLabel('Example', { exact: true }).selectOption(code);
    await expect(rowOf(status).locator('.highlight-code pre')).toContainText(`"code": "${code}"`);
  }
  const success = rowOf('200');
  await success.getByLabel('Example', { exact: true }).selectOption('largeNumbers');
  await expect(success.locator('.highlight-code pre')).toContainText('"id": 9007199254740993,');
  await expect(operation.locator('.parameters')).toContainText('From -9223372036854775808 to 9223372036854775807.');
});

test('a deep link opens its operation, and opening one makes its link', async ({ page }) => {
  const docs = new DocsPage(page);
  await docs.open('#/store/updateOrder');
  await expect(docs.operation('updateOrder').locator('.execute')).toBeInViewport();
  await expect(page.locator('.execute')).toHaveCount(1);
  await docs.unfold('createPet');
  await expect(page).toHaveURL(`${ORIGIN}/docs#/pets/createPet`);
});

test('the page and the guide lead to each other, and links to their headings', async ({ docs: { page } }) => {
  await page.locator('.masthead').getByRole('link', { name: 'Guide' }).click();
  await expect(page).toHaveURL(`${ORIGIN}/docs/guide`);
  await expect(page).toHaveTitle('Guide for callers – Animal Store Service');
  const links = page.locator('a[href^="#"]');
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
  expect(hrefs.length).toBeGreaterThan(10);
  for (const [i, href] of hrefs.entries()) {
    await links.nth(i).click();
    await expect(page).toHaveURL(`${ORIGIN}/docs/guide${href}`);
    await expect(page.locator(':target')).toBeInViewport();
  }
  await page.getByRole('link', { name: 'Operations' }).click();
  await expect(page).toHaveURL(`${ORIGIN}/docs`);
});
