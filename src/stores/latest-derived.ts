// Keeps what was derived from a value for as long as that very value is current: an index, or defaults applied.

/** `derive`, computed once per reference given; only the latest is kept. */
export function latestDerived<T extends object, R>(derive: (from: T) => R): (from: T) => R {
  let latest: { readonly from: T; readonly result: R } | undefined
  return (from) => {
    if (latest?.from !== from) latest = { from, result: derive(from) }
    return latest.result
  }
}
