// A short run of the fuzzer (`npm run fuzz` is the long one), and that what leads it leads somewhere.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { type FuzzOptions, type FuzzResult, fuzz } from '../../quality/fuzz/engine.ts'
import { loadTarget, targetNames } from '../../quality/fuzz/load-target.ts'
import { asLiteral, minimise } from '../../quality/fuzz/minimise.ts'
import { anyUnits } from '../language/arbitraries.ts'

const root = process.cwd()
const SEED = 53217
/** They need port 53219. */
const PORT_TARGETS = ['http', 'ws']
const PURE_TARGETS = ['tokenize', 'parse', 'frame', 'request-head']
const FILE_TARGETS = targetNames(root).filter((name) => !PORT_TARGETS.includes(name) && !PURE_TARGETS.includes(name))
const INPUTS = { pure: runsOf(1_000, 300), file: 20 } as const

async function run(name: string, options: Partial<FuzzOptions>): Promise<FuzzResult> {
  const planted = { file: 'test/fuzz/planted.ts', measured: 'test/fuzz/' }
  const loaded = await loadTarget(name, { root, ...(name === 'planted' ? planted : {}) })
  try {
    return await fuzz(loaded, { seed: SEED, ...options })
  } finally {
    await loaded.close()
  }
}

describe('whatever comes, nothing is promised in vain by', () => {
  const counts = [
    ...PURE_TARGETS.map((name) => [name, INPUTS.pure] as const),
    ...FILE_TARGETS.map((name) => [name, INPUTS.file] as const),
  ]
  it.each(counts)('%s, after its corpus and %i inputs', { timeout: 300_000 }, async (name, inputs) => {
    const { crashes, blocks } = await run(name, { inputs })
    expect(crashes).toEqual([])
    expect(blocks.atStart).toBeGreaterThan(0)
  })
})

describe('a bug behind four comparisons', () => {
  // The seed decides how many inputs that takes; how long they take the machine decides: 5 s alone, 84 s beside everything else.
  it('is found by following the coverage, made small, and not found blindly', { timeout: 300_000 }, async () => {
    const led = await run('planted', { inputs: 1_000_000, endAtCrash: true })
    expect(led.crashes).toMatchObject([{ error: 'Error: the planted bug', input: 'K\x1f\xa72' }])
    expect(led.corpus.some((input) => input.startsWith('K\x1f\xa7'))).toBe(true)
    expect(led.blocks.atEnd).toBeGreaterThan(led.blocks.atStart)
    const { inputs } = led
    expect(await run('planted', { inputs, guided: false })).toMatchObject({ crashes: [], inputs })
  })
})

describe('a seed', () => {
  it('decides what is tried and kept', { timeout: 300_000 }, async () => {
    const [first, second, other] = [
      await run('request-head', { inputs: 500 }),
      await run('request-head', { inputs: 500 }),
      await run('request-head', { inputs: 500, seed: SEED + 1 }),
    ]
    expect(second.corpus).toEqual(first.corpus)
    expect(other.corpus).not.toEqual(first.corpus)
  })
})

describe('a failing input', () => {
  it('loses all that it does not need', async () => {
    const small = await minimise(`${'x'.repeat(500)}needle${'y'.repeat(500)}`, (input) => input.includes('needle'))
    expect(small).toBe('needle')
  })

  it('is printed as an expression that is that input', () => {
    const repeated = fc.tuple(anyUnits(20), fc.integer({ min: 60, max: 70 })).map(([text, times]) => text.repeat(times))
    fc.assert(
      fc.property(fc.oneof(anyUnits(50), repeated), (input) => {
        const literal = asLiteral(input)
        expect(literal).toMatch(/^[ -~]*$/)
        // biome-ignore lint/security/noGlobalEval: the expression is meant to be pasted into code
        expect(globalThis.eval(literal)).toBe(input)
      }),
    )
  })
})
