const NEW = { name: 'First', priceCents: 1250, openFrom: '2026-03-31T14:30:00.000Z' };
const MINIMAL = { name: 'Second', priceCents: 0 };

/** The examples of the document. The large number reveals clients that round. */
export const NEW_SAMPLE_EXAMPLES = {
  complete: { summary: 'With all its fields', value: NEW },
  minimal: { summary: 'Only what must be there', value: MINIMAL },
};

export const SAMPLE_EXAMPLES = {
  complete: { summary: 'With all its fields', value: { id: 1, ...NEW } },
  minimal: {
    summary: 'Without a date, with an id that a parser must not round',
    value: { id: 9_007_199_254_740_993n, ...MINIMAL },
  },
};

export const SAMPLES_EXAMPLES = {
  page: { summary: 'A page', value: [SAMPLE_EXAMPLES.complete.value, SAMPLE_EXAMPLES.minimal.value] },
  nothing: { summary: 'Nothing left', value: [] },
};

export const SAMPLE_CHANGE_EXAMPLES = {
  change: { summary: 'Another price', value: { priceCents: 990 } },
  clear: { summary: 'Null clears the date', value: { openFrom: null } },
};
