// An export is a promise to other files. One that no file imports is red: it is either dead or should not be exported.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** What programs outside of the repository import. */
const ENTRIES = ['src/client/public.ts']

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs|cjs)$/.test(name))
    .map((name) => `${folder}/${name}`)
}

const importers = ['src', 'test', 'e2e', 'harness', 'quality', 'scripts', 'examples', 'site'].flatMap(filesIn)

/** `file` → the names that other files import of it; `*` where one takes all of it. */
const imported = new Map<string, Set<string>>()

function note(file: string, specifier: string, names: readonly string[]): void {
  if (!specifier.startsWith('.')) return
  const target = relative(ROOT, resolve(ROOT, file, '..', specifier))
  const known = imported.get(target) ?? new Set()
  imported.set(target, known)
  for (const name of names) known.add(name)
}

/** `a, type b, c as d` → a, b, c */
function namesIn(clause: string): string[] {
  return clause
    .split(',')
    .map((each) =>
      each
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/s, ''),
    )
    .filter((name) => name !== '')
}

for (const file of importers) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  for (const [, clause = '', specifier = ''] of text.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g,
  ))
    note(file, specifier, namesIn(clause))
  for (const [, specifier = ''] of text.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?\*(?:\s+as\s+\w+)?\s*from\s*['"]([^'"]+)['"]/g,
  ))
    note(file, specifier, ['*'])
  // Loaded later, by a type, by a mock, or built as a file of its own: whole.
  for (const [, specifier = ''] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) note(file, specifier, ['*'])
  for (const [, specifier = ''] of text.matchAll(/\bnew URL\(\s*['"]([^'"]+)['"]/g)) note(file, specifier, ['*'])
  for (const [, entry = ''] of text.matchAll(/['"](src\/[\w/.-]+\.tsx?)['"]/g))
    if (/^(scripts|quality)\//.test(file) && !file.startsWith('quality/promises/'))
      note(file, relative(join(file, '..'), entry).replace(/^(?!\.)/, './'), ['*'])
}

function exportsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [
    ...text.matchAll(
      /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)/gm,
    ),
  ].map(([, name = '']) => name)
}

describe('an export of src', () => {
  it('is imported by another file', () => {
    const unused = filesIn('src')
      .filter((file) => !ENTRIES.includes(file))
      .flatMap((file) => {
        const used = imported.get(file) ?? new Set()
        if (used.has('*')) return []
        return exportsOf(file).flatMap((name) => (used.has(name) ? [] : [`${file}: ${name}`]))
      })
    expect(unused).toEqual([])
  })
})
