// The table of stops as docs/behaviour.md and SECURITY.md show it, between two marks. `npm run stops -- --papers` writes it.
import { readFileSync, writeFileSync } from 'node:fs'
import { ACTORS, type Actor, COURSES, STOPS } from '../../src/authority/stop-table.ts'

export const PAPERS = ['docs/behaviour.md', 'SECURITY.md']
const BEGIN = '<!-- stops: written by `npm run stops -- --papers` -->'
const END = '<!-- /stops -->'

export function stopTable(): string {
  const actors = Object.keys(ACTORS) as Actor[]
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const head = ['stop', ...actors.map((actor) => ACTORS[actor]), 'until']
  const rows = Object.entries(STOPS).map(([stop, { does, liftedBy, note }]) => [
    `\`${stop}\`${note === undefined ? '' : `: ${note}`}`,
    ...actors.map((actor) => does[actor]),
    liftedBy ?? 'done once',
  ])
  const words = Object.entries(COURSES).map(([course, says]) => `*${course}*: ${says}.`)
  return [row(head), row(head.map(() => '---')), ...rows.map(row), '', ...words.map((text) => `- ${text}`)].join('\n')
}

/** @throws {Error} the paper has no place for it */
export function withStopTable(paper: string): string {
  const [from, to] = [paper.indexOf(BEGIN), paper.indexOf(END)]
  if (from === -1 || to < from) throw new Error(`there is no place for the table of stops: ${BEGIN}`)
  return `${paper.slice(0, from + BEGIN.length)}\n${stopTable()}\n${paper.slice(to)}`
}

export function writePapers(): void {
  for (const path of PAPERS) writeFileSync(path, withStopTable(readFileSync(path, 'utf8')))
}
