// Pages of two run journals, by the real reader: `runs-page.mjs` bundles this like the product and runs it.
// Usage: node <bundle> <directory with small.jsonl and large.jsonl> <rounds>; prints the times of each round in ms, as JSON.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { RunPages } from '../../src/runtime/run-pages.ts'

const [directory = '', rounds] = process.argv.slice(2)
const LIMIT = 50

function reader(name: string) {
  const path = join(directory, name)
  const pages = () => new RunPages({ path, ownRuns: () => [], isRunning: () => false })
  const { ino, size } = statSync(path)
  return { pages, middle: `r1.${ino}.${Math.floor(size / 2)}` }
}

async function timed(pages: RunPages, filters: { readonly text?: string }, cursor?: string): Promise<number> {
  const startedAt = performance.now()
  const { runs, next } = await pages.page(LIMIT, filters, cursor)
  const ms = performance.now() - startedAt
  if (next === undefined || (filters.text === undefined && runs.length !== LIMIT)) throw new Error('a page is short')
  return ms
}

const [small, large] = [reader('small.jsonl'), reader('large.jsonl')]
const results: { readonly [what: string]: number }[] = []
for (let round = -5; round < Number(rounds); round += 1) {
  const result = {
    small: await timed(small.pages(), {}),
    newest: await timed(large.pages(), {}),
    middle: await timed(large.pages(), {}, large.middle),
    nothing: await timed(large.pages(), { text: 'nothing has this' }),
  }
  // The first ones are for the compiler.
  if (round >= 0) results.push(result)
}
console.log(JSON.stringify(results))
