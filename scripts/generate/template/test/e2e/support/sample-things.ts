import { addTo, type Identified } from './additions.js';
import type { Service } from './service.js';

export interface SampleThingBody extends Identified {
  name: string;
}

/** One with all its fields. */
export const SAMPLE_THING = { name: 'Sample' };

/** Adds sample things; what a test does not say about one is as usual. */
export function addSampleThings(
  service: Service,
  ...sampleThings: Partial<SampleThingBody>[]
): Promise<SampleThingBody[]> {
  return addTo(
    service,
    '/v1/sample-things',
    sampleThings.map((sampleThing) => ({ ...SAMPLE_THING, ...sampleThing })),
  );
}
