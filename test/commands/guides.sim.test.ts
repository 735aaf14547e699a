// The guides, typed as they are printed: every line of a block succeeds, and the block below it is what the lines print. `vitest -u` writes
// that block anew. Lines of a shell are run by test/cli/guides.port.test.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import { WITH_SECRETS } from './notice-stages.ts'

const FOLDER = join(import.meta.dirname, '../../docs/guides')
const guides = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''))

interface Stage {
  readonly options?: SessionOptions
  /** What happens before a line of the guide. */
  readonly before?: Readonly<Record<string, (session: CommandSession) => unknown>>
}

const STAGES: Readonly<Record<string, Stage>> = {
  'real-exchange': { options: { terminal: answering('a long answer') } },
  protect: { before: { 'stop breakeven': ({ market }) => market.setPrice('BTCUSDT', '66000') } },
  service: { options: WITH_SECRETS },
}

/** Lines and, where it follows, what they print. */
const BLOCK = /^```hookline\n([\s\S]*?)^```$(\n\n^```text\n[\s\S]*?^```$)?/gm

describe('a guide', () => {
  it.each(guides)('%s is typed as it is printed', async (guide) => {
    const { options = {}, before = {} }: Stage = STAGES[guide] ?? {}
    const session = await createSession(options)
    // As at a prompt, which drives.
    await session.tasks.look()
    const printed = readFileSync(join(FOLDER, `${guide}.md`), 'utf8')
    const played: string[] = []
    const tasks = new Set<string>()
    for (const [whole, block = '', output] of printed.matchAll(BLOCK)) {
      const lines: string[] = []
      for (const line of block.trim().split('\n')) {
        await before[line]?.(session)
        const run = session.start(line)
        await session.advance(1_000)
        expect(await run.done, `${line}: ${run.lines.join('\n')}`).toBe(true)
        lines.push(...run.lines)
        for (const { id } of session.ports.tasks.list()) tasks.add(id.slice(0, 8))
      }
      const shown = lines.map((line) => line.replace(/^[a-z]+ /, ''))
      played.push(
        output === undefined ? whole : `${whole.slice(0, -output.length)}\n\n\`\`\`text\n${shown.join('\n')}\n\`\`\``,
      )
    }
    const next = played.values()
    await expect(
      withSteadyIds(
        printed.replaceAll(BLOCK, () => next.next().value ?? ''),
        tasks,
      ),
    ).toMatchFileSnapshot(join(FOLDER, `${guide}.md`))
  })
})

/** Ids and tokens that are made at random, each as the same digit over and over. @param short beginnings of ids, as they are shown */
function withSteadyIds(text: string, short: ReadonlySet<string>): string {
  const known = new Map<string, string>()
  const steady = (id: string) => {
    const digit = 'abcdef0123456789'[known.size % 16] ?? 'a'
    const found = known.get(id) ?? id.replaceAll(/[0-9a-f]/g, digit)
    known.set(id, found)
    return found
  }
  const whole = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{8})\b/g
  return text.replaceAll(whole, (id) => (id.length > 8 || short.has(id) ? steady(id) : id))
}

/** A person who answers every question alike. */
function answering(answer: string): NonNullable<SessionOptions['terminal']> {
  return {
    askHidden: async () => answer,
    ask: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
  }
}
