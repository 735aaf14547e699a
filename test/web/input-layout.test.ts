import xterm from '@xterm/headless'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layOut } from '../../src/web/terminal/input-layout.ts'

/** Where a real terminal's cursor stands once the text is written. */
async function written(text: string, columns: number): Promise<{ row: number; column: number }> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true })
  await new Promise<void>((done) => terminal.write(text, done))
  const { cursorX, cursorY, baseY } = terminal.buffer.active
  terminal.dispose()
  return { row: baseY + cursorY, column: cursorX }
}

describe('input layout', () => {
  it('is where xterm.js puts it, whatever the text and the width', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '漢', '字', 'ｱ'), maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 4, max: 30 }), async (typed, columns) => {
        expect(layOut(typed, '', columns).end).toEqual(await written(typed, columns))
      }),
      { numRuns: 60 },
    )
  })

  it('puts the cursor behind a full row onto the next one', () => {
    expect(layOut('abcd', '', 4)).toEqual({ cursor: { row: 1, column: 0 }, end: { row: 0, column: 4 } })
    expect(layOut('abcd', 'ef', 4)).toEqual({ cursor: { row: 1, column: 0 }, end: { row: 1, column: 2 } })
  })
})
