/**
 * What is wrong with the records of package-lock.json that have no integrity: npm would install whatever the registry
 * serves for them. `accepted` are the paths of optional development packages for other platforms, which the registry
 * that the file was written with does not have. That list can only shrink.
 */
export function integrityProblems(lock, accepted) {
  const records = Object.entries(lock.packages).filter(([path, { link }]) => path && !link);
  const without = new Map(records.filter(([, { integrity }]) => !integrity));
  return [
    ...[...without]
      .filter(([path, record]) => !accepted.includes(path) || !record.dev || !record.optional)
      .map(([path]) => `${path} has no integrity. Run "npm install" with a registry that has it.`),
    ...accepted
      .filter((path) => !without.has(path))
      .map((path) => `${path} has an integrity or is gone. Remove its line.`),
  ];
}
