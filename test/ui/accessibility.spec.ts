/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, KEY, ORIGIN, test } from './support/docs-page.js';

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 375, height: 720 } };

for (const [device, viewport] of Object.entries(SIZES)) {
  test.describe(`on a ${device}`, () => {
    test.use({ viewport, hasTouch: device === 'phone' });

    test('axe finds nothing serious in the page, its dialog and answers; none scrolls sideways', async ({ docs }) => {
      await docs.authorizeButton.click();
      await expectNothingSerious(docs.page);
      await docs.page.keyboard.press('Escape');
      await docs.authorize();
      await docs.execute(await docs.unfold('createPet'));
      await expectNothingSerious(docs.page);
      expect(await docs.page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    });

    test('the guide is the same, and readable without a script', async ({ page, browser }) => {
      await page.goto(`${ORIGIN}/docs/guide`);
      await expectNothingSerious(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
      const context = await browser.newContext({ javaScriptEnabled: false, viewport });
      const bare = await context.newPage();
      await bare.goto(`${ORIGIN}/docs/guide`);
      await expect(bare.locator('main p').first()).toHaveCSS('font-size', '16px');
      await context.close();
    });
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: SIZES.phone, hasTouch: true });

  test('touch targets are at least 44 pixels wide and high', async ({ docs }) => {
    await docs.unfold('listPets');
    const targets = docs.page.locator(
      '.masthead a, .btn, select, input, .opblock-summary-control, .opblock-control-arrow, .authorization__btn',
    );
    for (const target of await targets.all()) {
      const box = await target.boundingBox();
      if (!box) continue;
      const html = await target.evaluate((element) => element.outerHTML.slice(0, 120));
      expect(Math.round(box.height), html).toBeGreaterThanOrEqual(44);
      expect(Math.round(box.width), html).toBeGreaterThanOrEqual(44);
    }
  });
});

test('the page works with the keyboard alone', async ({ docs }) => {
  const { page } = docs;
  await tabTo(page, '.auth-wrapper .btn.authorize');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('input')).toBeFocused();
  for (let i = 0; i < 8; i++) await page.keyboard.press('Tab');
  expect(await focusIsIn(page, '[role=dialog]')).toBe(true);
  await dialog.locator('input').focus();
  await page.keyboard.type(KEY);
  await page.keyboard.press('Enter');
  await expect(dialog.locator('.btn-done')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(docs.authorizeButton).toBeFocused();

  await tabTo(page, '#operations-pets-listPets .opblock-summary-control');
  await page.keyboard.press('Enter');
  await docs.expectUnfolded('listPets');
  await tabTo(page, '#operations-pets-listPets .execute');
  await page.keyboard.press('Enter');
  const status = docs.operation('listPets').locator('.live-responses-table .response .response-col_status');
  await expect(status).toContainText('200');
  await expect(page.locator('pre:not([tabindex="0"])'), 'scrollable areas can be focused').toHaveCount(0);
});

async function expectNothingSerious(page: Page): Promise<void> {
  // Half-way from one colour to another, a button has too little contrast.
  await page.waitForFunction(() => document.getAnimations().every((each) => !(each instanceof CSSTransition)));
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))).toEqual([]);
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 60 && !(await focusIsIn(page, selector)); i++) await page.keyboard.press('Tab');
  await expect(page.locator(selector)).toBeFocused();
}

const focusIsIn = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate((selector) => document.activeElement?.closest(selector) !== null, selector);
