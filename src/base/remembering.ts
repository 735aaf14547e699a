/** `make`, called once for each text that comes again and again. Nothing is kept of a call that throws. @param most so many results are kept, then all are made anew */
export function remembering<Result extends object | string>(
  make: (of: string) => Result,
  most: number,
): (of: string) => Result {
  const made = new Map<string, Result>()
  return (of) => {
    const known = made.get(of)
    if (known !== undefined) return known
    const result = make(of)
    if (made.size >= most) made.clear()
    made.set(of, result)
    return result
  }
}
