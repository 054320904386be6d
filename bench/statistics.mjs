export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The middle of a row of figures, and the outermost of them. */
export function summary(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** Round by round, because what disturbs a machine disturbs neighbours in time alike. */
export function ratios(values, others) {
  return summary(values.map((value, round) => value / others[round]));
}
