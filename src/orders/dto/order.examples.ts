const NEW = { petId: 1, quantity: 2, shipDate: '2026-03-31T14:30:00.000Z' };

/** The examples of the document. The large number reveals clients that round. */
export const NEW_ORDER_EXAMPLES = {
  complete: { summary: 'With all its fields', value: NEW },
  minimal: { summary: 'Only what must be there', value: { petId: 1 } },
};

export const ORDER_EXAMPLES = {
  open: { summary: 'An open order', value: { id: 1, ...NEW, complete: false } },
  complete: {
    summary: 'A complete order without a date, with ids that a parser must not round',
    value: { id: 9_007_199_254_740_993n, petId: 9_007_199_254_740_995n, quantity: 1, complete: true },
  },
};

export const ORDERS_EXAMPLES = {
  page: { summary: 'A page', value: [ORDER_EXAMPLES.open.value, ORDER_EXAMPLES.complete.value] },
  nothing: { summary: 'Nothing left', value: [] },
};

export const ORDER_CHANGE_EXAMPLES = {
  change: { summary: 'Another quantity and date', value: { quantity: 1, shipDate: '2026-04-01T08:00:00+02:00' } },
  clear: { summary: 'Null clears the date', value: { shipDate: null } },
  complete: { summary: 'The animal is sold, which is final', value: { complete: true } },
};
