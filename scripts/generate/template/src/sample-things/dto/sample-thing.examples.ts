const USUAL = { $usual$ };

/** The examples of the document. The large number reveals clients that round. */
export const NEW_SAMPLE_THING_EXAMPLES = {
  complete: { summary: 'With all its fields', value: USUAL },
  // if optional
  minimal: { summary: 'Only what must be there', value: { $minimal$ } },
  // end
};

export const SAMPLE_THING_EXAMPLES = {
  complete: { summary: 'With all its fields', value: { id: 1, ...USUAL } },
  largeNumbers: {
    summary: 'Numbers that a parser must not round',
    value: { id: 9_007_199_254_740_993n, ...USUAL },
  },
};
// if list

export const SAMPLE_THINGS_EXAMPLES = {
  page: { summary: 'A page', value: [SAMPLE_THING_EXAMPLES.complete.value] },
  nothing: { summary: 'Nothing left', value: [] },
};
// end
// if update

export const SAMPLE_THING_CHANGE_EXAMPLES = {
  change: { summary: 'Another value', value: { $otherValue$ } },
  // if clearable
  clear: { summary: 'Null clears an optional field', value: { $cleared$ } },
  // end
};
// end
