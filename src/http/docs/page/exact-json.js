/** Indents JSON, and keeps all digits of its numbers as a browser of 2025 or later can. Returns null for invalid JSON. */
export function indentJson(text) {
  const exactly = (_name, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, exactly), null, 2);
  } catch {
    return null;
  }
}
