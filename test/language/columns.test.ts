// Refusals of whole lines: each points into the line that was typed, whoever of the parsers refuses.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { parseAmend, parseBump, parseMove } from '../../src/language/amend.ts'
import type { Argument, Chain } from '../../src/language/chain.ts'
import { parseWait } from '../../src/language/condition.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseSymbols } from '../../src/language/names.ts'
import { parseCancel, parseClose, parseOrder, parseStop } from '../../src/language/order.ts'
import { parseChain } from '../../src/language/parse.ts'
import { parseScale, parseSwarm } from '../../src/language/placing.ts'
import { parseSize } from '../../src/language/size.ts'
import { parseChase, parseOco, parseTrail, parseTwap } from '../../src/language/task-intents.ts'
import { parseDuration } from '../../src/language/time.ts'
import { anyText } from './arbitraries.ts'

const PARSERS: Readonly<Record<string, (args: readonly Argument[]) => unknown>> = {
  parseOrder,
  parseStop,
  parseClose,
  parseCancel,
  parseAmend,
  parseMove,
  parseBump,
  parseScale,
  parseTrail,
  parseOco,
  parseSwarm,
  parseWait,
  parseChase,
  parseTwap,
  parseDuration: (args) => args.map((arg) => arg.kind === 'word' && parseDuration(arg.text, arg.column)),
  parseSize: (args) => args.map((arg) => arg.kind === 'word' && parseSize(arg.text, arg.column)),
  parseSymbols: (args) => args.map((arg) => arg.kind === 'word' && parseSymbols(arg.text, arg.column)),
}

function argumentListsOf(chain: Chain): readonly (readonly Argument[])[] {
  return chain.stages.flatMap(({ commands }) =>
    commands.flatMap(({ args }) => [
      args,
      ...args.flatMap((arg) => (arg.kind === 'group' ? argumentListsOf(arg.chain) : [])),
    ]),
  )
}

function refusalOf(run: () => unknown): LanguageError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof LanguageError) return error
    throw error
  }
}

describe.each(Object.entries(PARSERS))('a refusal of %s', (_name, parse) => {
  test('points into the line, and steers no terminal', () => {
    let refused = 0
    fc.assert(
      fc.property(anyText, (soup) => {
        const line = `x ${soup}`
        let chain: Chain | undefined
        if (refusalOf(() => (chain = parseChain(line))) !== undefined || chain === undefined) return
        for (const args of argumentListsOf(chain)) {
          const refusal = refusalOf(() => parse(args))
          if (refusal === undefined) continue
          refused += 1
          expect(refusal.column).toBeGreaterThanOrEqual(1)
          expect(refusal.column).toBeLessThanOrEqual(line.length + 1)
          expect(`${refusal.message}${refusal.hint ?? ''}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        }
      }),
      { numRuns: runsOf(1500) },
    )
    expect(refused).toBeGreaterThan(runsOf(1500) / 30)
  })
})
