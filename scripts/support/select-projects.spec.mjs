import { describe, expect, it } from '@jest/globals';
import { selectProjects } from './select-projects.mjs';

describe('selectProjects', () => {
  it.each([
    [['listPets'], [], ['listPets']],
    [['order', '--selectProjects', 'e2e'], ['e2e'], ['order']],
    [['--selectProjects', 'e2e', 'order'], ['e2e'], ['order']],
    [['--selectProjects=e2e', 'order'], ['e2e'], ['order']],
    [
      ['--selectProjects', 'unit', 'e2e', 'order', '-t', 'e2e'],
      ['unit', 'e2e'],
      ['order', '-t', 'e2e'],
    ],
    [['--selectProjects', 'e2e', '-t', 'refuses'], ['e2e'], ['-t', 'refuses']],
  ])('splits %j', (args, projects, others) => {
    expect(selectProjects(args)).toEqual({ projects, others });
  });
});
