export const JSON_TYPE = 'application/json; charset=utf-8';

/** The media types of request bodies. */
export const PLAIN_JSON = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';
