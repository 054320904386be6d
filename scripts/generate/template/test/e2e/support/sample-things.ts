import { addTo, type Identified } from './additions.js';
import type { Service } from './service.js';

export interface SampleThingBody extends Identified {
  name: string;
}

/** A body with all fields. */
export const SAMPLE_THING = { name: 'Sample' };

/** Adds sample things, with defaults for the fields that a test does not set. */
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
