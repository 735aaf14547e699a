// What `npm run fuzz` runs: each target in turn, with what it found told as soon as it is known.
import { type Crash, type FuzzResult, fuzz } from './engine.ts'
import { startHangWatch } from './hang-watch.ts'
import { loadTarget, targetNames } from './load-target.ts'
import { asLiteral } from './minimise.ts'

export { targetNames }

export interface Plan {
  readonly root: string
  readonly names: readonly string[]
  readonly seconds: number
  readonly seed: number
  readonly say: (line: string) => void
}

export async function fuzzTargets({ root, names, seconds, seed, say }: Plan): Promise<readonly FuzzResult[]> {
  const results: FuzzResult[] = []
  for (const name of names) {
    say(`fuzzing ${name} …`)
    const watch = startHangWatch(name)
    const loaded = await loadTarget(name, { root })
    try {
      const result = await fuzz(loaded, { seed, seconds, watch })
      results.push(result)
      for (const crash of result.crashes) say(describeCrash(name, seed, crash))
    } finally {
      await loaded.close()
      await watch.stop()
    }
  }
  return results
}

export function describeCrash(name: string, seed: number, { error, stack, input }: Crash): string {
  const places = stack.split('\n').filter((line) => /^ +at /.test(line))
  return [`!! ${name}, seed ${seed}: ${error}`, ...places.slice(0, 4), `   input: ${asLiteral(input)}`].join('\n')
}

/** The head first. */
export function tableRows(results: readonly FuzzResult[]): readonly (readonly string[])[] {
  const head = ['target', 'inputs', 'inputs/s', 'blocks: seeds → end of known', 'kept', 'crashes']
  const rows = results.map(({ name, inputs, seconds, blocks, corpus, crashes }) => [
    name,
    String(inputs),
    String(Math.round(inputs / seconds)),
    `${blocks.atStart} → ${blocks.atEnd} of ${blocks.known}`,
    String(corpus.length),
    String(crashes.length),
  ])
  return [head, ...rows]
}
