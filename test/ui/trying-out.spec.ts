import { DocsPage, expect, READ_ONLY_KEY, test } from './support/docs-page.js';

test('a key is kept across reloads and in new tabs', async ({ docs, context }) => {
  await docs.authorize();
  await docs.page.reload();
  await expect(docs.authorizeButton).toHaveClass(/\blocked\b/);
  const tab = new DocsPage(await context.newPage());
  await tab.open();
  expect(await tab.execute(await tab.unfold('listPets'))).toMatchObject({ status: '200' });
});

test('an order can be made, changed with PATCH, and deleted', async ({ docs, complaints }) => {
  await docs.authorize();
  const pet = JSON.parse((await docs.execute(await docs.unfold('createPet'))).body) as { id: number };
  const createOrder = await docs.unfold('createOrder');
  await createOrder.getByLabel('Request body').fill(JSON.stringify({ petId: pet.id }));
  const order = JSON.parse((await docs.execute(createOrder)).body) as { id: number };
  expect(order).toEqual({ id: order.id, petId: pet.id, quantity: 1, complete: false });

  const updateOrder = await docs.unfold('updateOrder');
  await updateOrder.getByLabel('orderId', { exact: true }).fill(String(order.id));
  await updateOrder.getByLabel('Request body').fill('{"shipDate":"2026-04-01T08:00:00+02:00"}');
  const changed = await docs.execute(updateOrder);
  expect(JSON.parse(changed.body)).toEqual({ ...order, shipDate: '2026-04-01T06:00:00.000Z' });

  const deleteOrder = await docs.unfold('deleteOrder');
  await deleteOrder.getByLabel('orderId', { exact: true }).fill(String(order.id));
  expect((await docs.execute(deleteOrder)).status).toMatch(/^204/);
  await deleteOrder.locator('.execute').click();
  await expect(deleteOrder.locator('.live-responses-table .response')).toContainText('not_found');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]); // logged by the browser
});

test('large numbers keep every digit in requests and answers', async ({ docs }) => {
  await docs.authorize();
  const createPet = await docs.unfold('createPet');
  const body = '{"name":"a \\"quoted\\": [name], {or} so","categoryId":9007199254740993}';
  await createPet.getByLabel('Request body').fill(body);
  const created = await docs.execute(createPet);
  expect(created.body).toContain('"categoryId": 9007199254740993\n}');
  expect(created.body).toContain('"name": "a \\"quoted\\": [name], {or} so",');

  const listPets = await docs.unfold('listPets');
  const ids = listPets.locator('tr[data-param-name=ids]');
  for (const [i, id] of ['9007199254740993', '-9223372036854775808'].entries()) {
    await ids.getByRole('button', { name: /^Add/ }).click();
    await ids.getByRole('textbox').nth(i).fill(id);
  }
  expect(await docs.execute(listPets)).toMatchObject({ status: '200', body: '[]' });
  await expect(listPets.locator('.request-url pre')).toContainText(/ids=9007199254740993&ids=-9223372036854775808$/);
});

test('without a key, or for a change with a read-only one, the Error is shown', async ({ docs, complaints }) => {
  const { status, body } = await docs.execute(await docs.unfold('listPets'));
  expect(status).toBe('401');
  expect(JSON.parse(body)).toMatchObject({ code: 'missing_api_key', status: 401 });
  await docs.authorize(READ_ONLY_KEY);
  const refused = await docs.execute(await docs.unfold('createPet'));
  expect(refused.status).toBe('403');
  expect(refused.body).toContain('"code": "read_only_key"');
  expect(complaints.splice(0)).toHaveLength(2); // logged by the browser
});
