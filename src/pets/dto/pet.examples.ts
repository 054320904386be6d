const REX = { name: 'Rex', categoryId: 1, status: 'available' };
const MINKA = { name: 'Minka', categoryId: 2 };
const LARGEST = 9_223_372_036_854_775_807n;

/** The examples of the document. The large numbers reveal clients that round. */
export const NEW_PET_EXAMPLES = {
  complete: { summary: 'An animal with all its fields', value: REX },
  minimal: { summary: 'Only what must be there', value: MINKA },
  largeNumbers: { summary: 'The largest category id', value: { ...REX, categoryId: LARGEST } },
};

export const PET_EXAMPLES = {
  complete: { summary: 'An animal with all its fields', value: { id: 1, ...REX } },
  largeNumbers: {
    summary: 'Numbers that a parser must not round',
    value: { id: 9_007_199_254_740_993n, ...REX, categoryId: LARGEST },
  },
};

export const PETS_EXAMPLES = {
  page: {
    summary: 'A page',
    value: [PET_EXAMPLES.complete.value, { id: 2, ...MINKA }, PET_EXAMPLES.largeNumbers.value],
  },
  nothing: { summary: 'Nothing left, or nothing that matches', value: [] },
};
