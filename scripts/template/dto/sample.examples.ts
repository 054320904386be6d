const NEW = { name: 'First', openFrom: '2026-03-31T14:30:00.000Z' };

export const NEW_SAMPLE_EXAMPLES = {
  complete: { summary: 'With all its fields', value: NEW },
  minimal: { summary: 'Only what must be there', value: { name: 'Second' } },
};

/** The large number reveals clients that round. */
export const SAMPLE_EXAMPLES = {
  complete: { summary: 'With all its fields', value: { id: 1, ...NEW } },
  minimal: { summary: 'An id that a parser must not round', value: { id: 9_007_199_254_740_993n, name: 'Second' } },
};

export const SAMPLES_EXAMPLES = {
  page: { summary: 'A page', value: [SAMPLE_EXAMPLES.complete.value, SAMPLE_EXAMPLES.minimal.value] },
};

export const SAMPLE_CHANGE_EXAMPLES = {
  change: { summary: 'Another name', value: { name: 'Third' } },
  clear: { summary: 'Null clears the date', value: { openFrom: null } },
};
