// Whether a name in a file was probably meant to be another one. For kill switches alone: there a name too many costs a warning, and one
// too few leaves a switch on that somebody thinks is off.

/**
 * The known name that `name` resembles without being it: in other letters' case, with `_`, `-`, blanks or dots, or with one letter wrong,
 * missing, too many or swapped with the next.
 * @param alsoLonger also with something added at its end (`remoteExecution`)
 */
export function nearName<Known extends string>(
  name: string,
  known: readonly Known[],
  { alsoLonger = false } = {},
): Known | undefined {
  const plain = plainOf(name)
  const isNear = (other: string): boolean => isClose(plain, other) || (alsoLonger && plain.startsWith(other))
  return known.find((candidate) => candidate !== name && isNear(plainOf(candidate)))
}

function plainOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function isClose(a: string, b: string): boolean {
  if (a === b) return true
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [restA, restB] = [a.slice(start), b.slice(start)]
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  )
}
