// A chain in which one step names a symbol and a later one takes the focus (behaviour 29).
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { defined } from '../../src/base/defined.ts'
import { commands, lookup } from '../../src/commands/catalogue.ts'
import type { AnyForm } from '../../src/commands/kit/command.ts'
import { isFamily } from '../../src/commands/kit/resolve.ts'
import { checkHookBody } from '../../src/hooks/registration.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { focusTakenIn } from '../../src/language/focus-taken.ts'
import { parseHookChain } from '../../src/language/hook-chain.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'
import { RunContext } from '../../src/runtime/run-context.ts'
import { README_STAGES, STAGES } from './example-stages.ts'

const ELSEWHERE = { prices: { XRPUSDT: '2' } }
const root = resolve(import.meta.dirname, '../..')

const forms: readonly AnyForm[] = commands.flatMap((command) => (isFamily(command) ? command.forms : [command]))
const helpLines = forms.flatMap(({ examples }) => examples.map(({ line }) => line))

const papers = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)

/** Blocks that are typed one line after another, and lines of one cell or span. */
function chainsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```hookline\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
    block.trim().split('\n').join('; '),
  )
  const shell = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
    [...block.matchAll(/hookline (?:exec|hook create \S+) (?:--\S+ )*(['"]?)(.*?)\1(?:\s+#.*)?$/gm)]
      .map(([, , line = '']) => line.replaceAll('\\$', '$'))
      .join('; '),
  )
  const spans = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, line = '']) =>
    line.replaceAll('\\|', '|'),
  )
  return [...blocks, ...shell, ...spans].filter((line) => parses(line))
}

function parses(line: string): boolean {
  try {
    return parseHookChain(line).stages.length > 0
  } catch {
    return false
  }
}

/** The line, and the bodies that it registers or keeps. */
function bodiesOf(line: string): readonly string[] {
  const texts = callsIn(parseHookChain(line)).flatMap(({ args }) =>
    args.flatMap((argument) => (argument.kind === 'string' && parses(argument.text) ? [argument.text] : [])),
  )
  return [line, ...texts]
}

const takenIn = (line: string, focus?: string) =>
  focusTakenIn(parseHookChain(line), { table: lookup, aliases: {}, ...defined({ focus }) })

/** A span of a paper may be a verb alone: it does nothing. */
function symbolUses(line: string): readonly string[] {
  try {
    return callsIn(parseChain(line)).map((call) => lookup.symbolUse(call).kind)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return []
  }
}

const ordered = ({ journal }: CommandSession): readonly string[] =>
  journal
    .map((line) => JSON.parse(line))
    .filter(({ t }) => t === 'intent')
    .map(({ order }) => order.symbol)

describe('the table of commands', () => {
  const acting = forms.filter(({ sends, name }) => sends === true || name === 'wait' || name === 'echo')

  it('says of each that sends which symbols it works on', () => {
    // They name orders, or mean the whole account.
    const without = acting.filter(({ symbolUse }) => symbolUse === undefined).map(({ name }) => name)
    expect(without).toEqual(['amend', 'move', 'nuke'])
  })

  const lines = acting.flatMap(({ examples }) => examples.map(({ line }) => line))

  it.each(lines)('`%s` reads the focus exactly where its form says so', async (line) => {
    const stage = STAGES[line] ?? README_STAGES[line]
    const session = await createSession({ ...ELSEWHERE, ...stage?.options })
    for (const before of stage?.before ?? []) await session.run(before)
    await stage?.prepare?.(session)
    const focus = vi.spyOn(RunContext.prototype, 'symbol', 'get')
    const run = session.start(line, stage?.run)
    await (stage?.meanwhile === undefined ? run.done : session.settle())
    await stage?.meanwhile?.(session, run)
    await session.settle()
    const wasRead = focus.mock.calls.length > 0
    focus.mockRestore()
    run.abort()
    await run.done
    // `wait fill` watches any fill of the run, and only looks at the focus.
    expect(wasRead && !line.startsWith('wait fill')).toBe(
      symbolUses(line).includes('focus') && !line.startsWith('wait fill'),
    )
  })

  it.each(
    lines.filter(
      (line) =>
        !line.includes(';') && symbolUses(line)[0] === 'focus' && !line.includes('$last') && !line.includes('$pnl'),
    ),
  )('`%s` is refused behind a step that names a symbol, with the line to type instead', (line) => {
    const body = `buy $100 ETHUSDT; ${line}`
    const found = takenIn(body)
    expect(found?.named.symbols).toEqual(['ETHUSDT'])
    let hint = ''
    try {
      checkHookBody(body, lookup, {})
    } catch (error) {
      hint = (error as { hint: string }).hint
    }
    expect(hint).toMatch(/^type buy \$100 ETHUSDT; /)
    const corrected = hint.slice('type '.length)
    expect(takenIn(corrected)).toBeUndefined()
    // `cancel` and `bump` take names of orders too: which it is, is known when they run.
    expect(symbolUses(corrected)).toEqual(['named', /^(cancel|bump)/.test(line) ? 'none' : 'named'])
  })
})

describe('the examples of help, README and docs', () => {
  it.each([['help', helpLines], ...papers.map(([path, text]) => [path, chainsOf(text)] as const)] as const)(
    'of %s never take the focus behind a symbol that they name',
    (_, lines) => {
      const wrong = lines.flatMap(bodiesOf).filter((line) => takenIn(line) !== undefined)
      expect(wrong).toEqual([])
    },
  )

  const naming = [...new Set([...helpLines, ...papers.flatMap(([, text]) => chainsOf(text))])]
    .flatMap(bodiesOf)
    .filter((line) => !/[{]/.test(line) && !line.includes('hook ') && symbolUses(line).includes('named'))

  it.each([...new Set(naming)])('`%s` sends nothing to another symbol in focus', async (line) => {
    const stage = STAGES[line] ?? README_STAGES[line]
    const session = await createSession({
      ...stage?.options,
      prices: { ...ELSEWHERE.prices, ...stage?.options?.prices },
    })
    for (const before of stage?.before ?? []) await session.run(before)
    await stage?.prepare?.(session)
    const run = session.start(line, { ...stage?.run, symbol: 'XRPUSDT' })
    await (stage?.meanwhile === undefined && !/^wait/.test(line) ? run.done : session.settle())
    await stage?.meanwhile?.(session, run)
    await session.settle()
    run.abort()
    await run.done
    expect(ordered(session)).not.toContain('XRPUSDT')
    expect(run.lines.join('\n')).not.toContain('takes-focus')
  })

  it('are looked through for lines that trade', () => {
    expect(naming.filter((line) => /^(buy|sell|position|twap)\b/.test(line)).length).toBeGreaterThan(10)
    expect(papers.flatMap(([, text]) => chainsOf(text)).length).toBeGreaterThan(100)
  })
})

describe('what is kept and runs later', () => {
  const body = 'buy $250 ETHUSDT; stop at -2%'
  const refusal = 'error takes-focus: `stop` names no symbol and takes the one in focus, while `buy` names `ETHUSDT`'

  it.each([`hook create dip "${body}"`, `alias dip "${body}"`])('refuses %s', async (line) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([`${refusal} | type buy $250 ETHUSDT; stop ETHUSDT at -2%`])
    expect(session.ports.hooks.list()).toEqual([])
    expect(session.ports.aliases.read()).toEqual({})
  })

  it('refuses an edit of a hook, which keeps its command', async () => {
    const session = await createSession()
    await session.run('hook create dip "buy $250 ETHUSDT stop -2%"')
    expect(await session.run(`hook edit dip "${body}"`)).toEqual([expect.stringContaining('error takes-focus: ')])
    expect(session.ports.hooks.list()[0]?.command).toBe('buy $250 ETHUSDT stop -2%')
  })

  it.each([
    ['buy $250 ETHUSDT && close || notify failed', 'buy $250 ETHUSDT && close ETHUSDT || notify failed'],
    [
      'buy $250 ETHUSDT; repeat 2 (sell $10; wait flat)',
      'buy $250 ETHUSDT; repeat 2 (sell ETHUSDT $10; wait flat ETHUSDT)',
    ],
    [
      'buy $250 {s:in(BTCUSDT,ETHUSDT)}; close 50%',
      'buy $250 {s:in(BTCUSDT,ETHUSDT)}; close {s:in(BTCUSDT,ETHUSDT)} 50%',
    ],
    ['buy @size @sym; trail 1%', 'buy @size @sym; trail @sym 1%'],
    ['wait price ETHUSDT > 2000; buy $10', 'wait price ETHUSDT > 2000; buy ETHUSDT $10'],
    ['buy $5 BTCUSDT,ETHUSDT; stop at -2%', 'buy $5 BTCUSDT,ETHUSDT; stop BTCUSDT,ETHUSDT at -2%'],
  ])('says of `%s` to type `%s`', async (wrong, right) => {
    const session = await createSession()
    const refused = await session.run(`hook create a '${wrong}'`)
    expect(refused).toEqual([expect.stringMatching(/^error takes-focus: /)])
    expect(refused[0]?.split(' | type ')[1]).toBe(right)
    expect((await session.run(`hook create a '${right}'`))[0]).toBe('success created hook a')
  })

  it('looks through aliases', async () => {
    const session = await createSession()
    await session.run('alias guard "stop at -2%"')
    const [refused] = await session.run('hook create a "buy $250 ETHUSDT; guard"')
    expect(refused).toMatch(/^error takes-focus: `stop` .* \| type buy \$250 ETHUSDT; guard ETHUSDT$/)
  })

  it.each([
    'cancel; close; buy $10 ETHUSDT',
    'buy $10 ETHUSDT; close all; cancel all',
    'buy $10; stop at -2%',
    'buy @size @sym; stop @sym at -2%',
    'buy $10 ETHUSDT; cancel p17; wait 1s; echo done',
  ])('takes `%s`', async (line) => {
    const session = await createSession()
    expect((await session.run(`hook create a "${line}"`))[0]).toBe('success created hook a')
  })
})

describe('a chain that is typed', () => {
  const line = 'buy $250 ETHUSDT; stop at -2%'

  it.each(['web', 'exec', 'repl'] as const)(
    'is refused from %s where nobody can be asked, and nothing is sent',
    async (source) => {
      const session = await createSession()
      expect(await session.run(line, { source })).toEqual([
        'error takes-focus: `stop` names no symbol and takes BTCUSDT, which is in focus, while `buy` names `ETHUSDT` | type buy $250 ETHUSDT; stop ETHUSDT at -2%',
      ])
      expect(ordered(session)).toEqual([])
    },
  )

  const asked = async (answer: boolean) => {
    const questions: string[] = []
    const confirm = async (question: string) => {
      questions.push(question)
      return answer
    }
    const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
    const session = await createSession({ terminal })
    const lines = await session.run('buy $250 ETHUSDT; buy $250', { source: 'repl' })
    return { session, lines, questions }
  }

  it('asks at the terminal, with what would happen and what to type instead', async () => {
    const { questions, lines, session } = await asked(false)
    expect(questions).toEqual(['run `buy` on BTCUSDT? y or n >'])
    expect(lines).toEqual([
      'warn `buy` names no symbol and takes BTCUSDT, which is in focus, while `buy` names `ETHUSDT` (type buy $250 ETHUSDT; buy ETHUSDT $250)',
      'error cancelled: canceled: nothing was run | type buy $250 ETHUSDT; buy ETHUSDT $250',
    ])
    expect(ordered(session)).toEqual([])
  })

  it('runs as typed after a yes', async () => {
    const { session } = await asked(true)
    expect(ordered(session)).toEqual(['ETHUSDT', 'BTCUSDT'])
  })

  it.each(['buy $250 BTCUSDT; stop at -2%', 'buy $250 btc; stop at -2%'])(
    'asks nothing where `%s` means the symbol in focus',
    async (typed) => {
      const session = await createSession()
      await session.run(typed, { source: 'web' })
      expect(ordered(session)).toEqual(['BTCUSDT', 'BTCUSDT'])
    },
  )

  it('does not take the symbol that an earlier step of it brings into focus, and says so', async () => {
    const session = await createSession()
    expect(await session.run('symbol ETHUSDT; buy $250')).toEqual([
      expect.stringMatching(/^error takes-focus: `buy` .* while `symbol` names `ETHUSDT`/),
    ])
    expect(session.ports.focus.symbol()).toBe('BTCUSDT')
  })

  it('is told in the preview of a hook that was registered before', async () => {
    const session = await createSession()
    await session.ports.hooks.create({ name: 'old', command: line })
    const { notes } = await session.ports.preview({ command: line, source: 'hook' })
    expect(notes[0]).toMatch(/^`stop` names no symbol and takes BTCUSDT, which is in focus/)
  })
})
