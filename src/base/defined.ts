/** The fields that have a value: `{ ...defined({ limit, since }) }` has no key for what is undefined, as `exactOptionalPropertyTypes` demands. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof Fields]
    if (value !== undefined) kept[name] = value
  }
  return kept as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
}
