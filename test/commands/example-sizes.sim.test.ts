// What help, README, guides and recipes have typed is not below the smallest order of the account that a newcomer begins with, also where it stands
// in a group, in the body of a hook or in a table: beginning a task tries none of it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { commands, lookup } from '../../src/commands/catalogue.ts'
import { isFamily } from '../../src/commands/kit/resolve.ts'
import type { Chain, CommandCall } from '../../src/language/chain.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { parseHookChain } from '../../src/language/hook-chain.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { printCall } from '../../src/language/print.ts'

/** The invented price begins far below it. */
const HIGHEST = '75000'

const forms = commands.flatMap((command) => (isFamily(command) ? command.forms : [command]))
const PAPERS = ['README.md', ...['docs', 'docs/guides'].flatMap((folder) => papersIn(folder))]

function papersIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : []))
}

/** Lines of blocks, and what stands between backticks. */
function typedIn(paper: string): readonly string[] {
  const text = readFileSync(paper, 'utf8')
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n'))
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [...blocks, ...spans].map((line) => line.replace(/^paper \[[^\]]*\] > /, '').split(/ {2,}|\s+#/)[0] ?? '')
}

function chainOf(text: string): Chain | undefined {
  try {
    return parseHookChain(text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return undefined
  }
}

/** With what is kept for later: groups, and lines in quotes. */
function allCalls(text: string): readonly CommandCall[] {
  const calls = callsIn(chainOf(text) ?? { stages: [] })
  return [
    ...calls.filter(({ name }) => lookup.has(name)),
    ...calls.flatMap(({ args }) => args.flatMap((each) => (each.kind === 'string' ? allCalls(each.text) : []))),
  ]
}

const isOfMoney = ({ args }: CommandCall) => args.some((each) => each.kind === 'word' && /^\$\d+$/.test(each.text))

describe('the money of an example', () => {
  it.each([
    ['help', forms.flatMap(({ examples, details = [] }) => [...examples.map(({ line }) => line), ...details])] as const,
    ...PAPERS.map((paper) => [paper, typedIn(paper)] as const),
  ])('is enough for an order: %s', async (_where, lines) => {
    const session = await createSession({ prices: { BTCUSDT: HIGHEST } })
    const tried = [...new Set(lines.flatMap(allCalls).filter(isOfMoney).map(printCall))]
    const refused: string[] = []
    for (const command of tried) {
      const { errors } = await session.ports.preview({ command, source: 'exec' })
      refused.push(...errors.flatMap(({ code, text }) => (code === 'below-minimum' ? [`${command}: ${text}`] : [])))
    }
    expect(refused).toEqual([])
  })
})
