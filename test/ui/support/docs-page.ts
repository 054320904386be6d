import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test';

export const ORIGIN = process.env['UI_ORIGIN'] ?? '';
export const KEY = process.env['UI_KEY'] ?? '';
export const READ_ONLY_KEY = process.env['UI_READ_ONLY_KEY'] ?? '';

/** Page object of /docs. */
export class DocsPage {
  constructor(readonly page: Page) {}

  async open(hash = ''): Promise<void> {
    await this.page.goto(`${ORIGIN}/docs${hash}`);
    await expect(this.operation('getPet')).toBeVisible();
  }

  operation(name: string): Locator {
    return this.page.locator(`[id^=operations-][id$=-${name}]`);
  }

  async unfold(name: string): Promise<Locator> {
    const operation = this.operation(name);
    await operation.locator('.opblock-summary-control').click();
    await this.expectUnfolded(name);
    return operation;
  }

  /** Swagger UI shows the button before it can send the request: until it has resolved the operation with its answers. */
  async expectUnfolded(name: string): Promise<void> {
    await expect(this.operation(name).locator('.responses-wrapper')).toBeVisible();
    await expect(this.operation(name).locator('.execute')).toBeVisible();
  }

  get authorizeButton(): Locator {
    return this.page.locator('.auth-wrapper .btn.authorize');
  }

  async authorize(key = KEY): Promise<void> {
    await this.authorizeButton.click();
    const dialog = this.page.getByRole('dialog');
    await dialog.locator('input').fill(key);
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.locator('.btn-done').click();
    await expect(dialog).toBeHidden();
  }

  /** Sends the request of an unfolded operation, and returns the answer as it is shown. */
  async execute(operation: Locator): Promise<{ status: string; body: string }> {
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table .response').first();
    const status = (await answer.locator('.response-col_status').innerText()).trim();
    const body = answer.locator('.highlight-code').first().locator('pre');
    return { status, body: status.startsWith('204') ? '' : await body.innerText() };
  }
}

/** In every test, the browser contacts only the service, and reports no errors or warnings. */
export const test = base.extend<{ docs: DocsPage; complaints: string[] }>({
  complaints: [[], { option: true }],
  context: async ({ context, complaints }: { context: BrowserContext; complaints: string[] }, use) => {
    const asked = new Set<string>();
    context.on('request', (request) => asked.add(new URL(request.url()).origin));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(error.error().message));
    await use(context);
    expect([...asked].filter((origin) => ![ORIGIN, 'null'].includes(origin))).toEqual([]);
    expect(complaints).toEqual([]);
  },
  docs: async ({ page }, use) => {
    const docs = new DocsPage(page);
    await docs.open();
    await use(docs);
  },
});

export { expect } from '@playwright/test';
