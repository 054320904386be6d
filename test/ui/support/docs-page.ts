import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test';

export const ORIGIN = process.env['UI_ORIGIN'] ?? '';
export const KEY = process.env['UI_KEY'] ?? '';

export type OperationName =
  | 'listPets'
  | 'createPet'
  | 'getPet'
  | 'listOrders'
  | 'createOrder'
  | 'getOrder'
  | 'updateOrder'
  | 'deleteOrder';

/** Page object of /docs. */
export class DocsPage {
  constructor(readonly page: Page) {}

  async open(hash = ''): Promise<void> {
    await this.page.goto(`${ORIGIN}/docs${hash}`);
    await expect(this.operation('getPet')).toBeVisible();
  }

  operation(name: OperationName): Locator {
    return this.page.locator(`[id^=operations-][id$=-${name}]`);
  }

  async unfold(name: OperationName): Promise<Locator> {
    const operation = this.operation(name);
    await operation.locator('.opblock-summary-control').click();
    await expect(operation.locator('.execute')).toBeVisible();
    return operation;
  }

  get authorizeButton(): Locator {
    return this.page.locator('.auth-wrapper .btn.authorize');
  }

  async authorize(key: string): Promise<void> {
    await this.authorizeButton.click();
    const dialog = this.page.getByRole('dialog');
    await dialog.locator('input').fill(key);
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.locator('.btn-done').click();
    await expect(dialog).toBeHidden();
  }

  /** Sends the request of an expanded operation and returns the answer as shown. */
  async execute(operation: Locator): Promise<{ status: string; body: string }> {
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table .response').first();
    return {
      status: (await answer.locator('.response-col_status').innerText()).trim(),
      body: await answer.locator('.highlight-code').first().locator('pre').innerText(),
    };
  }
}

/** In every test, the browser contacts only the service and reports no errors or warnings. */
export const test = base.extend<{ docs: DocsPage; complaints: string[]; alsoAsked: string }>({
  complaints: [[], { option: true }],
  alsoAsked: ['', { option: true }],
  context: async (
    { context, complaints, alsoAsked }: { context: BrowserContext; complaints: string[]; alsoAsked: string },
    use,
  ) => {
    const asked = new Set<string>();
    context.on('request', (request) => asked.add(new URL(request.url()).origin));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(error.error().message));
    await use(context);
    expect([...asked].filter((origin) => ![ORIGIN, 'null', alsoAsked].includes(origin))).toEqual([]);
    expect(complaints).toEqual([]);
  },
  docs: async ({ page }, use) => {
    const docs = new DocsPage(page);
    await docs.open();
    await use(docs);
  },
});

export { expect } from '@playwright/test';
