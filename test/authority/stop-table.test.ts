// The table of stops is one: the papers and `help panic` show what the program decides by (behaviour 30).
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PAPERS, stopTable, withStopTable } from '../../quality/stops/papers.ts'
import { ACTORS, STOPS, type Stop } from '../../src/authority/stop-table.ts'
import { panic } from '../../src/commands/session/panic.ts'

describe('the table of stops', () => {
  it.each(PAPERS)('stands in %s as it is', (path) => {
    const paper = readFileSync(path, 'utf8')
    expect(paper).toContain(stopTable())
    expect(withStopTable(paper)).toBe(paper)
  })

  it('is what `help panic` shows of panic, halt, sim and nuke', () => {
    const [table = ''] = panic.details ?? []
    const [head = '', ...rows] = table.split('\n').map((line) => line.trim().split(/ {2,}/))
    const stops = head.slice(1) as Stop[]
    expect(stops).toEqual(['panic', 'halt', 'halt --reducing', 'sim on', 'nuke'])
    const shown = rows.map(([actor, ...courses]) => [actor, courses])
    expect(shown).toEqual(
      Object.entries(ACTORS).map(([actor, name]) => [
        name,
        stops.map((stop) => STOPS[stop].does[actor as keyof typeof ACTORS]),
      ]),
    )
  })

  it('lets what protects go on under every stop that lasts', () => {
    const lasting = Object.entries(STOPS).filter(
      ([stop, { liftedBy }]) => liftedBy !== undefined && !stop.startsWith('tasks'),
    )
    for (const [stop, { does }] of lasting)
      expect([stop, does.protects, does.entry]).toEqual([stop, 'goes on', 'goes on'])
  })
})
