// Lines that the papers show at a prompt, in a block for hookline, or after `hookline exec`: each parses, and names commands that exist.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveForm } from '../../src/commands/catalogue.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { parseChain } from '../../src/language/parse.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const papers = [
  'README.md',
  ...['docs', 'docs/guides'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

interface Shown {
  readonly paper: string
  readonly line: string
}

function* linesIn(paper: string): Generator<Shown> {
  const blocks = readFileSync(join(ROOT, paper), 'utf8').matchAll(/^```([\w-]*)\n([\s\S]*?)^```$/gm)
  for (const [, language = '', block = ''] of blocks) {
    for (const shown of block.split('\n')) {
      const line = lineOf(shown, language)
      // What stands for something else, and is not typed.
      if (line !== undefined && !/[<…]/.test(line)) yield { paper, line }
    }
  }
}

/** Without its prompt, and the remark that follows after two spaces or more. */
function lineOf(shown: string, language: string): string | undefined {
  const [, atPrompt] = /^[\w-]+ \[[^\]]*\] > (.+)$/.exec(shown) ?? []
  const [, inShell] = language === 'sh' ? (/^(?:npx )?hookline exec (?:--json )?'([^']+)'/.exec(shown) ?? []) : []
  const isOwn = language === 'hookline' && shown.trim() !== '' && !shown.startsWith('#')
  const line = atPrompt ?? inShell ?? (isOwn ? shown : undefined)
  return line?.replace(/ {2,}.*$/, '').trim()
}

describe('a line that a paper shows', () => {
  const shown = papers.flatMap((paper) => [...linesIn(paper)])

  it('is found in many papers', () => {
    expect(shown.length).toBeGreaterThan(100)
    expect(new Set(shown.map(({ paper }) => paper)).size).toBeGreaterThan(8)
  })

  it('parses, and each of its commands exists', () => {
    const faults = shown.flatMap(({ paper, line }) => {
      try {
        for (const call of callsIn(parseChain(line))) resolveForm(call)
        return []
      } catch (error) {
        return [`${paper}: ${line}: ${(error as Error).message}`]
      }
    })
    expect(faults).toEqual([])
  })
})
