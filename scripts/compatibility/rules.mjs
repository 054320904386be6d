// What counts as a break, beside what oasdiff takes for one.

/** Our stages in the words of oasdiff, which checks operations of the level `stable`, and that none loses it. */
const LEVELS = { experimental: 'alpha', beta: 'beta', stable: 'stable', deprecated: 'stable' };

/** In the text, because a JavaScript number would round the bounds of 64-bit integers. */
export function withLevels(document) {
  return document.replaceAll(/"x-stability": "(\w+)"/g, (_, stage) => {
    const level = LEVELS[stage];
    if (!level) throw new Error(`The stage "${stage}" has no level in ${import.meta.filename}.`);
    return `"x-stability-level": "${level}"`;
  });
}

/** Changes that oasdiff only informs about, but that are no additions. */
export const MORE_BREAKS = [
  'api-operation-id-removed',
  'api-security-added',
  'api-security-component-removed',
  'api-security-component-type-changed',
  'optional-response-header-removed',
  'request-body-default-value-added',
  'request-body-default-value-changed',
  'request-body-default-value-removed',
  'request-parameter-default-value-added',
  'request-parameter-default-value-changed',
  'request-parameter-default-value-removed',
  'request-property-default-value-added',
  'request-property-default-value-changed',
  'request-property-default-value-removed',
  'response-non-success-status-removed',
  'response-optional-property-removed',
];

const WARNING = 2;

/** The breaks among the changes that are not accepted, and the accepted ones that do not exist. */
export function judge(changes, accepted) {
  const breaks = changes.filter(({ level }) => level >= WARNING);
  const isAccepted = ({ fingerprint }) => accepted.some((one) => one.fingerprint === fingerprint);
  return {
    breaks: breaks.filter((change) => !isAccepted(change)),
    unused: accepted.filter((one) => !breaks.some(({ fingerprint }) => fingerprint === one.fingerprint)),
  };
}

export function describe({ operationId, operation, path, text, id, fingerprint }) {
  const where = path ? `${operationId ?? ''} (${operation} ${path})`.trim() : 'The document';
  return `- ${where}: ${text}\n  ${id}, fingerprint ${fingerprint}`;
}
