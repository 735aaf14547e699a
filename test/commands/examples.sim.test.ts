// Every example that `help` and README show is run, and what it prints is read: an example that fails teaches the wrong thing.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { commands } from '../../src/commands/catalogue.ts'
import { isFamily } from '../../src/commands/kit/resolve.ts'
import { PLACEHOLDERS } from './example-stage.ts'
import { type ExampleStage, README_STAGES, STAGES } from './example-stages.ts'

const helpLines = commands
  .flatMap((command) => (isFamily(command) ? command.forms : [command]))
  .flatMap(({ examples }) => examples.map(({ line }) => line))

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')

/** The first column of the tables under "The language". */
function tableLines(): string[] {
  const [, section = ''] = readme.split('## The language\n')
  const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm) ?? []
  return rows.flatMap((row) => {
    const [cell = ''] = row.slice(1).split(/(?<!\\)\|/)
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line.replaceAll('\\|', '|'))
  })
}

/** The lines of the first block of the fence `hookline`, and so on. */
function promptBlocks(): string[][] {
  return [...readme.matchAll(/^```hookline\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block.trim().split('\n'))
}

interface Outcome {
  readonly ended: boolean
  readonly succeeded: boolean
  readonly text: string
}

/** @param waits it ends only by what happens meanwhile */
async function play(line: string, stage: Omit<ExampleStage, 'prints'>, waits: boolean): Promise<Outcome> {
  const session = await createSession(stage.options)
  for (const before of stage.before ?? []) {
    const run = session.start(before)
    expect(await run.done, `${before}: ${run.lines.join('\n')}`).toBe(true)
  }
  await stage.prepare?.(session)
  const run = session.start(line, stage.run)
  await (waits ? session.settle() : run.done)
  await stage.meanwhile?.(session, run)
  await session.settle()
  const { ended } = run
  if (!ended) run.abort()
  const succeeded = await run.done
  const more: string[] = []
  for (const after of stage.after ?? []) more.push(...(await session.run(after)))
  return { ended, succeeded, text: [...run.lines, ...more].join('\n') }
}

function isAsTold({ ended, succeeded, text }: Outcome, { prints, fails }: ExampleStage): boolean {
  return ended && succeeded === (fails === undefined) && prints.every((pattern) => pattern.test(text))
}

/** Whatever of the stage is there for the example's sake. */
function isSet({ before, options, prepare, meanwhile, run }: ExampleStage): boolean {
  return [before, options, prepare, meanwhile, run].some((part) => part !== undefined)
}

const stageOf = (line: string): ExampleStage | undefined => STAGES[line] ?? README_STAGES[line]

/** A price that is only compared, or looked at. */
const COMPARED = /[<>]=? ?\d|^hook (?:create|edit|replay) /

it('of help holds at any price of the practice market: none names one, but to compare', () => {
  expect(helpLines.filter((line) => /(?<![\d$.:-])[1-9]\d{4}(?![\d-])/.test(line) && !COMPARED.test(line))).toEqual([])
})

describe('an example', () => {
  const all = [...new Set([...helpLines, ...tableLines().filter((line) => !PLACEHOLDERS.includes(line))])]

  it.each(all)('`%s` does what it says', async (line) => {
    const stage = stageOf(line)
    if (stage === undefined) throw new Error('test/commands/example-stages.ts does not say what this example prints')
    const outcome = await play(line, stage, stage.meanwhile !== undefined)
    expect(outcome.ended, 'it has ended').toBe(true)
    expect(outcome.succeeded, outcome.text).toBe(stage.fails === undefined)
    for (const pattern of stage.prints) expect(outcome.text).toMatch(pattern)
    expect(stage.does?.()).not.toBe(false)
  })

  it.each(all.filter((line) => isSet(stageOf(line) ?? { prints: [] })))('`%s` needs its stage', async (line) => {
    const stage = stageOf(line) as ExampleStage
    const bare = await play(line, { after: stage.after ?? [] }, stage.meanwhile !== undefined)
    expect(isAsTold(bare, stage), bare.text).toBe(false)
  })

  it('is shown somewhere, for each stage and placeholder that is set here', () => {
    const table = tableLines()
    expect(Object.keys(STAGES).filter((line) => !helpLines.includes(line))).toEqual([])
    expect(Object.keys(README_STAGES).filter((line) => !table.includes(line) || helpLines.includes(line))).toEqual([])
    expect(PLACEHOLDERS.filter((line) => !table.includes(line))).toEqual([])
  })
})

describe("README's blocks", () => {
  it('run as they are shown, one after another, on a new account', async () => {
    const session = await createSession()
    const blocks = promptBlocks()
    expect(blocks.length).toBeGreaterThan(0)
    for (const line of blocks.flat()) {
      const run = session.start(line)
      expect(await run.done, `${line}: ${run.lines.join('\n')}`).toBe(true)
      expect(run.lines.join('\n'), line).toMatch(/^(print|success) /)
    }
  })
})
