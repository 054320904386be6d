import { DocsPage, expect, KEY, test } from './support/docs-page.js';

test('a key is kept across reloads and in new tabs', async ({ docs, context }) => {
  await docs.authorize(KEY);
  await docs.page.reload();
  await expect(docs.authorizeButton).toHaveClass(/\blocked\b/);
  const tab = new DocsPage(await context.newPage());
  await tab.open();
  await expect(tab.authorizeButton).toHaveClass(/\blocked\b/);
  expect(await tab.execute(await tab.unfold('listPets'))).toMatchObject({ status: '200' });
});

test('every operation can be executed', async ({ docs }) => {
  await docs.authorize(KEY);
  const created = await docs.execute(await docs.unfold('createPet'));
  expect(created.status).toBe('201');
  const pet = JSON.parse(created.body) as { id: number };
  expect(pet).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 1, status: 'available' });

  const getPet = await docs.unfold('getPet');
  await getPet.getByLabel('petId', { exact: true }).fill(String(pet.id));
  const got = await docs.execute(getPet);
  expect({ ...got, body: JSON.parse(got.body) }).toEqual({ status: '200', body: pet });

  const listPets = await docs.unfold('listPets');
  await listPets.getByLabel('after', { exact: true }).fill(String(pet.id - 1));
  const listed = await docs.execute(listPets);
  expect(listed.status).toBe('200');
  expect(JSON.parse(listed.body)).toContainEqual(pet);
});

test('a list of large ids is sent exactly, separated by commas', async ({ docs }) => {
  await docs.authorize(KEY);
  const listPets = await docs.unfold('listPets');
  const ids = listPets.locator('tr[data-param-name=ids]');
  for (const [i, id] of ['9007199254740993', '-9223372036854775808'].entries()) {
    await ids.getByRole('button', { name: /^Add/ }).click();
    await ids.getByRole('textbox').nth(i).fill(id);
  }
  expect(await docs.execute(listPets)).toMatchObject({ status: '200', body: '[]' });
  await expect(listPets.locator('.request-url pre')).toContainText(
    /ids=9007199254740993(?:,|%2C)-9223372036854775808$/,
  );
});

test('an order can be made, changed with PATCH, and deleted', async ({ docs, complaints }) => {
  await docs.authorize(KEY);
  const pet = JSON.parse((await docs.execute(await docs.unfold('createPet'))).body) as { id: number };

  const createOrder = await docs.unfold('createOrder');
  await createOrder.getByLabel('Request body').fill(JSON.stringify({ petId: pet.id }));
  const created = await docs.execute(createOrder);
  const order = JSON.parse(created.body) as { id: number };
  expect({ ...created, body: order }).toEqual({
    status: '201',
    body: { id: order.id, petId: pet.id, quantity: 1, complete: false },
  });

  const updateOrder = await docs.unfold('updateOrder');
  await updateOrder.getByLabel('orderId', { exact: true }).fill(String(order.id));
  const request = updateOrder.locator('.opblock-section-request-body');
  await request.getByLabel('Example', { exact: true }).selectOption('change');
  await expect(request.getByLabel('Request body')).toHaveValue(/"shipDate": "2026-04-01T08:00:00\+02:00"/);
  const changed = await docs.execute(updateOrder);
  expect({ ...changed, body: JSON.parse(changed.body) }).toEqual({
    status: '200',
    body: { ...order, shipDate: '2026-04-01T06:00:00.000Z' },
  });

  const deleteOrder = await docs.unfold('deleteOrder');
  await deleteOrder.getByLabel('orderId', { exact: true }).fill(String(order.id));
  await deleteOrder.locator('.execute').click();
  const status = deleteOrder.locator('.live-responses-table .response .response-col_status');
  await expect(status.first()).toContainText('204');
  await deleteOrder.locator('.execute').click();
  await expect(deleteOrder.locator('.live-responses-table .response')).toContainText('not_found');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]); // logged by the browser
});

test('large numbers keep every digit in requests and answers', async ({ docs, complaints }) => {
  await docs.authorize(KEY);
  const createPet = await docs.unfold('createPet');
  const body = createPet.getByLabel('Request body');
  await createPet
    .locator('.opblock-section-request-body')
    .getByLabel('Example', { exact: true })
    .selectOption('largeNumbers');
  await expect(body).toHaveValue(/"categoryId": 9223372036854775807,/);
  expect((await docs.execute(createPet)).body).toContain('"categoryId": 9223372036854775807,');

  await body.fill('{"name":"a \\"quoted\\": [name], {or} so","categoryId":9007199254740993}');
  await createPet.locator('.execute').click();
  const answer = createPet.locator('.live-responses-table .highlight-code pre').first();
  await expect(answer).toContainText('"categoryId": 9007199254740993\n}');
  await expect(answer).toContainText('"name": "a \\"quoted\\": [name], {or} so",');

  const getPet = await docs.unfold('getPet');
  await getPet.getByLabel('petId', { exact: true }).fill('9007199254740993');
  await getPet.locator('.execute').click();
  await expect(getPet.locator('.request-url')).toContainText('/v1/pets/9007199254740993');
  await expect(getPet.locator('.live-responses-table .response')).toContainText('not_found');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]); // logged by the browser
});

test.describe('with another server', () => {
  const staging = 'https://staging.example.com';
  test.use({ alsoAsked: staging });
  test('requests go to the selected server', async ({ docs }) => {
    const asked: string[] = [];
    await docs.page.route(`${staging}/**`, (route) => {
      asked.push(route.request().url());
      return route.fulfill({ json: [], headers: { 'access-control-allow-origin': '*' } });
    });
    await docs.page.getByLabel('Server', { exact: true }).selectOption('{staging_base_url}');
    expect(await docs.execute(await docs.unfold('listPets'))).toEqual({ status: '200', body: '[]' });
    expect(asked).toEqual([`${staging}/v1/pets?limit=20`]);
  });
});

test.describe('without a key', () => {
  test.use({ complaints: [] });
  test('the error answer is shown', async ({ docs, complaints }) => {
    const { status, body } = await docs.execute(await docs.unfold('listPets'));
    expect({ status, body: JSON.parse(body) }).toMatchObject({
      status: '401',
      body: { code: 'missing_api_key', status: 401 },
    });
    // The browser logs the 401.
    expect(complaints.splice(0)).toHaveLength(1);
  });
});
