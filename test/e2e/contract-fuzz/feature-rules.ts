import type { Item } from './catalogue.js';
import type { Operation } from './document.js';
import type { Sent } from './requests.js';
import type { World } from './world.js';

/** What no schema can say about a resource. Without rules, the model takes any conflict that is documented. */
export interface FeatureRules {
  /** The code with which a valid request is refused. `item` is what its path names. */
  refusal(world: World, operation: Operation, sent: Sent, item: Item | undefined): string | undefined;
  /** Changes other resources as this one changed. */
  follow(world: World, before: Item | undefined, after: Item | undefined): void;
}

const PETS = '/v1/pets';

/** At most one open order for an animal, whose status follows it. A complete order is final. */
const orders: FeatureRules = {
  refusal(world, { method, body }, { says }, item) {
    if (method === 'POST') {
      const pet = world.catalogue(PETS).find(says['petId']);
      if (!pet) return 'invalid_field';
      return ['pending', 'sold'].includes(pet['status'] as string) ? 'animal_not_available' : undefined;
    }
    if (item?.['complete'] !== true) return undefined;
    const fields = Object.keys(body?.properties ?? {}).filter((name) => says[name] !== undefined);
    const isSame = fields.every((name) => instant(says[name]) === instant(item[name] ?? null));
    return method === 'DELETE' || (method === 'PATCH' && !isSame) ? 'order_complete' : undefined;
  },

  follow(world, before, after) {
    const pets = world.catalogue(PETS);
    const pet = pets.find((after ?? before)?.['petId']);
    if (!pet) throw new Error('The order is of no animal of the model.');
    if (!before) pets.replace({ ...pet, status: 'pending' });
    else if (!after) pets.replace({ ...pet, status: 'available' });
    else if (after['complete'] === true) pets.replace({ ...pet, status: 'sold' });
  },
};

/** Two spellings of one moment are the same. Of the fields of an order, only a date is a text. */
function instant(value: unknown): unknown {
  return typeof value === 'string' ? Date.parse(value) : value;
}

export const RULES: Readonly<Record<string, FeatureRules>> = { '/v1/store/orders': orders };
