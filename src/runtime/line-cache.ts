import type { Chain } from '../language/chain.ts'
import { bindSlots, parseHookChain } from '../language/hook-chain.ts'
import { parseChain } from '../language/parse.ts'
import type { RunRequest } from '../runs/run.ts'

type Parse = (line: string) => Chain

const MAX_LINES = 1_000

/** How the line of a run is read; with the values of its alert, where it has some. @throws {LanguageError} when it reads */
export function createLineReader(): (request: Pick<RunRequest, 'values'>) => Parse {
  const parse = cached(parseChain)
  const parseBody = cached(parseHookChain)
  return ({ values }) => (values === undefined ? parse : (line) => bindSlots(parseBody(line), values))
}

/** Remembers what it parsed: a hook's line is the same at every fire. */
function cached(parse: Parse): Parse {
  const chains = new Map<string, Chain>()
  return (line) => {
    const known = chains.get(line)
    if (known) return known
    const chain = parse(line)
    if (chains.size >= MAX_LINES) chains.clear()
    chains.set(line, chain)
    return chain
  }
}
