import { declareError } from '../../src/api/errors.js';

export const sampleNameTaken = declareError('sample_name_taken', {
  status: 409,
  when: 'Another sample has this name.',
  advice: 'Choose another name.',
  onConstraint: ['samples_name_unique'],
});
