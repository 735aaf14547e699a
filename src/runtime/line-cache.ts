import type { Chain } from '../language/chain.ts'
import { parseChain } from '../language/parse.ts'

const MAX_LINES = 1_000

/** Parses lines and remembers them: a hook's line is the same at every fire. @throws {LanguageError} */
export function createLineCache(): (line: string) => Chain {
  const chains = new Map<string, Chain>()
  return (line) => {
    const known = chains.get(line)
    if (known) return known
    const chain = parseChain(line)
    if (chains.size >= MAX_LINES) chains.clear()
    chains.set(line, chain)
    return chain
  }
}
