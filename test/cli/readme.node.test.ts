// The README promises: its two commands exist, and every command line it shows can be typed.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import { checkHookBody } from '../../src/hooks/registration.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { parseChain } from '../../src/language/parse.ts'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')

interface Block {
  /** The nearest heading above it. */
  readonly section: string
  readonly language: string
  readonly lines: readonly string[]
}

function fencedBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  let section = ''
  let open: { language: string; lines: string[] } | undefined
  for (const line of markdown.split('\n')) {
    const fence = /^```(\S*)/.exec(line)
    if (open && fence) {
      blocks.push({ section, ...open })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (fence) open = { language: fence[1] ?? '', lines: [] }
    else section = /^#+ (.*)/.exec(line)?.[1] ?? section
  }
  return blocks
}

const linesIn = (blocks: readonly Block[], language: string): string[] =>
  blocks
    .filter((block) => block.language === language)
    .flatMap(({ lines }) => lines.filter((line) => line.trim() !== ''))

describe("the README's two commands", () => {
  const twoCommands = () => fencedBlocks(read('README.md')).filter(({ section }) => section === 'Two commands')

  it('are two fenced sh blocks that install and start, and install and test', () => {
    expect(twoCommands().map(({ language, lines }) => [language, lines[0]])).toEqual([
      ['sh', 'npm ci && npm start'],
      ['sh', 'npm ci && npm test'],
    ])
  })

  it('are scripts of package.json, and the second is all that CI does', () => {
    const { scripts } = JSON.parse(read('package.json'))
    expect(scripts).toMatchObject({ start: expect.any(String), test: expect.any(String) })
    expect(read('.ci/run').trimEnd().split('\n').at(-1)).toBe(twoCommands()[1]?.lines[0])
  })
})

describe("the README's examples", () => {
  it('are lines that can be typed: every line of a fenced hookline block resolves in the catalogue', () => {
    const lines = linesIn(fencedBlocks(read('README.md')), 'hookline')
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(() => resolveLine(line), line).not.toThrow()
  })

  it('call only subcommands that `hookline --help` shows', async () => {
    const { stdout } = await run(tempDirectory(), ['--help'])
    const commandList = /^Commands:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? ''
    const known = [...commandList.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
    const calls = linesIn(fencedBlocks(read('README.md')), 'sh').filter((line) => /\bhookline\b/.test(line))
    expect(calls.length).toBeGreaterThan(0)
    const called = calls.flatMap((line) => /\bhookline ([a-z]+)/.exec(line)?.[1] ?? [])
    expect(called.filter((name) => !known.includes(name))).toEqual([])
  })
})

/** @throws what the prompt would say */
function resolveLine(line: string): void {
  for (const call of callsIn(parseChain(line))) {
    const { path, args } = lookup.resolve(call)
    const body = args[1]
    if (path === 'hook create' && body?.kind === 'string') checkHookBody(body.text, lookup, {})
  }
}
