/** Ends the generation. The place names the operation and the part of it; the advice says what to do. */
export function fail(
  place,
  problem,
  advice = 'Change the document, or teach scripts/client to generate it.',
) {
  throw new Error(`${place}: ${problem} ${advice}`);
}
