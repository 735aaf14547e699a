// Copy: stopping is for the page, starting for the terminal.
import { describe, expect } from 'vitest'
import { enterLines } from '../harness/process/hookline.ts'
import { it } from './stage.ts'

describe('copying', () => {
  it('is turned off row by row and stopped by held presses, and the line to go on is there', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    await enterLines(hookline, [
      'account add swing paper',
      'cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5 --enabled',
      'cross-trade start',
    ])
    const pane = await console.open('Cross-trade')
    await pane.getByText(/^engine on, pid \d+/).waitFor()
    await pane.getByRole('button', { name: /^Turn off paper BTCUSDT → swing/ }).click({ delay: 200 })
    expect(stage.readJson<{ configs: object[] }>('cross-trade.json').configs).toMatchObject([{ enabled: true }])
    await console.hold(/^Turn off paper BTCUSDT → swing/)
    await pane.getByText(/^cross-trade enable /).waitFor()
    expect(stage.readJson<{ configs: object[] }>('cross-trade.json').configs).toMatchObject([{ enabled: false }])
    await console.hold('Stop copying')
    await pane.getByText('engine off').waitFor()
    await pane.getByText('cross-trade start', { exact: true }).waitFor()
  })
})
