import { addTo, type Identified, uniqueText } from './additions.js';
// $referenceImports$
import type { Service } from './service.js';

export interface SampleThingBody extends Identified {
  // $members$
}

// if references
/** A body with all fields. What it refers to need not exist; see `newSampleThing`. */
// else
/** A body with all fields. */
// end
export const SAMPLE_THING = { $usual$ };
// if references

/** A body with all fields, and what it refers to. */
export async function newSampleThing(service: Service): Promise<Omit<SampleThingBody, 'id'>> {
  // if unique
  const own = { $uniqueValues$ };
  // end
  // $references$
  // if unique
  return { ...SAMPLE_THING, ...own, $referenceIds$ };
  // else
  return { ...SAMPLE_THING, $referenceIds$ };
  // end
}
// else
// if unique

/** A body with all fields, unlike any other. */
export function newSampleThing(): Omit<SampleThingBody, 'id'> {
  return { ...SAMPLE_THING, $uniqueValues$ };
}
// end
// end

/** Adds sample things, with defaults for the fields that a test does not set. */
// if references
export async function addSampleThings(
  service: Service,
  ...sampleThings: Partial<SampleThingBody>[]
): Promise<SampleThingBody[]> {
  const bodies = [];
  for (const sampleThing of sampleThings) bodies.push({ ...(await newSampleThing(service)), ...sampleThing });
  return addTo(service, '/v1/sample/things', bodies);
}
// else
export function addSampleThings(
  service: Service,
  ...sampleThings: Partial<SampleThingBody>[]
): Promise<SampleThingBody[]> {
  return addTo(
    service,
    '/v1/sample/things',
    sampleThings.map((sampleThing) => ({ ...$fresh$, ...sampleThing })),
  );
}
// end
