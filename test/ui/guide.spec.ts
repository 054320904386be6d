/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import { expect, ORIGIN, test } from './support/docs-page.js';

const GUIDE = `${ORIGIN}/docs/guide`;

test('the page and the guide link to each other', async ({ docs: { page } }) => {
  await page.locator('.masthead').getByRole('link', { name: 'Guide' }).click();
  await expect(page).toHaveURL(GUIDE);
  await expect(page).toHaveTitle('Guide for callers – Animal Store Service');
  await page.getByRole('link', { name: 'Operations' }).click();
  await expect(page).toHaveURL(`${ORIGIN}/docs`);
});

test('every link within the guide leads to its heading', async ({ page }) => {
  await page.goto(GUIDE);
  const links = page.locator('a[href^="#"]');
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
  expect(hrefs.length).toBeGreaterThan(10);
  for (const [i, href] of hrefs.entries()) {
    await links.nth(i).click();
    await expect(page).toHaveURL(`${GUIDE}${href}`);
    await expect(page.locator('h2:target')).toBeInViewport();
  }
});

test('a page that does not exist is 404', async ({ request }) => {
  expect((await request.get(`${GUIDE}s`)).status()).toBe(404);
});

for (const width of [1280, 375]) {
  test(`the guide is readable without a script, ${width} pixels wide`, async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(GUIDE);
    expect((await page.locator('.contents').boundingBox())!.y).toBeLessThan(200);
    const [paragraph, box] = [page.locator('main p').first(), page.locator('main pre').first()];
    for (const part of [paragraph, box]) {
      const { x, width: wide } = (await part.boundingBox())!;
      expect(x + wide).toBeLessThanOrEqual(width);
    }
    await expect(paragraph).toHaveCSS('font-size', '16px');
    await context.close();
  });

  test(`axe finds nothing serious in the guide, ${width} pixels wide, which never scrolls sideways`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(GUIDE);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });
}
