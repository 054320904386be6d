/** The answers to writes of orders, which determine what must be stored and what may be. */
export class OrderJournal {
  #orders = new Map();
  #unknownCreations = new Map();
  counts = { created: 0, changed: 0, completed: 0, deleted: 0, refused: 0, unknown: 0 };

  created(id, change) {
    this.counts.created++;
    this.#of(id).isAcknowledged = true;
    this.#of(id).changes.push(change);
  }

  creationUnknown(petId) {
    this.counts.unknown++;
    this.#unknownCreations.set(petId, (this.#unknownCreations.get(petId) ?? 0) + 1);
  }

  /** `change`: the quantity, when it was sent, and when it was answered (Infinity: the outcome is unknown). */
  changed(id, change) {
    this.#count('changed', change);
    this.#of(id).changes.push(change);
  }

  completed(id, answer) {
    this.#end(id, 'completed', answer);
  }

  deleted(id, answer) {
    this.#end(id, 'deleted', answer);
  }

  refused() {
    this.counts.refused++;
  }

  /** Counts contradictions between the answers and these orders, which were read while nothing was written. */
  compare(orders) {
    const stored = new Map(orders.map((order) => [order.id, order]));
    const found = {
      lost: 0,
      resurrected: 0,
      'completions lost': 0,
      'changes lost': 0,
      'stored though refused': 0,
      'complete though refused': 0,
    };
    const unexplained = new Map();
    for (const { id, petId } of orders)
      if (!this.#orders.get(id)?.isAcknowledged) unexplained.set(petId, (unexplained.get(petId) ?? 0) + 1);
    for (const [petId, count] of unexplained)
      if (count > (this.#unknownCreations.get(petId) ?? 0)) found['stored though refused']++;
    for (const [id, told] of this.#orders) {
      const order = stored.get(id);
      if (!order) {
        if (told.isAcknowledged && !told.deleted) found.lost++;
        continue;
      }
      if (told.deleted === 'acknowledged') found.resurrected++;
      if (told.completed === 'acknowledged' && !order.complete) found['completions lost']++;
      if (order.complete && !told.completed) found['complete though refused']++;
      if (told.isAcknowledged && !isLast(order.quantity, told.changes)) found['changes lost']++;
    }
    return found;
  }

  #end(id, how, answer) {
    this.#count(how, answer);
    if (this.#of(id)[how] !== 'acknowledged')
      this.#of(id)[how] = isUnknown(answer) ? 'unknown' : 'acknowledged';
  }

  #count(how, answer) {
    this.counts[isUnknown(answer) ? 'unknown' : how]++;
  }

  #of(id) {
    if (!this.#orders.has(id)) this.#orders.set(id, { changes: [] });
    return this.#orders.get(id);
  }
}

const isUnknown = ({ answeredAt }) => answeredAt === Infinity;

/** Whether no change was acknowledged that began after the stored one had been. */
function isLast(quantity, changes) {
  const last = changes.find((change) => change.quantity === quantity);
  return (
    last !== undefined && !changes.some((change) => !isUnknown(change) && change.sentAt > last.answeredAt)
  );
}
