export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function variance(values) {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

/** Welch's t: how many standard errors lie between two means. */
export function welchT(a, b) {
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
}

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The slope of a linear regression (least squares). */
export function slope(points) {
  const middle = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const sums = points.map(([x, y]) => [(x - middle[0]) * (y - middle[1]), (x - middle[0]) ** 2]);
  return mean(sums.map(([both]) => both)) / mean(sums.map(([, square]) => square));
}
