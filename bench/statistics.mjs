export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, minimum and maximum. */
export function summary(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** Compares round by round, because a disturbance affects measurements made at the same time alike. */
export function ratios(values, others) {
  return summary(values.map((value, round) => value / others[round]));
}
