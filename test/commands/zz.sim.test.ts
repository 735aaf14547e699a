import { it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const lines: [string[], string][] = [
  [['buy 0.01'], 'stop at -0.05%'],
  [['buy 0.01; stop at -3%'], 'stop at -0.05%'],
  [['buy 0.01; stop at -3%'], 'take at +0.05%'],
  [['buy 0.01; stop at -3%; take at +2%'], 'take at +0.05%'],
  [['buy 0.01'], 'oco at +2% stop -0.05%'],
  [['buy 0.01'], 'buy $1000 stop -0.05%'],
  [[], 'buy risk $1000 BTCUSDT stop -0.5%'],
  [[], 'buy $1000000'],
  [[], 'buy 0.5'],
  [[], 'buy 5'],
  [[], 'leverage BTCUSDT 500'],
  [['halt'], 'buy risk $1000 BTCUSDT stop -0.5%'],
  [['halt'], 'leverage BTCUSDT 50'],
  [['guards set paper order $500'], 'buy risk $1000 BTCUSDT stop -0.5%'],
  [['halt'], 'chase buy 5'],
  [[], 'chase buy 5'],
  [[], 'twap buy 5 over 10m'],
  [[], 'grid $100000 into 4 from -4% to +4%'],
  [[], 'dca buy $100000 into 4 every -1%'],
  [[], 'swarm buy $100000 into 4 from -1% to -4%'],
  [[], 'position long 5'],
  [[], 'position 5'],
  [[], 'stop buy 5 at +1%'],
  [['halt'], 'stop buy 5 at +1%'],
  [['halt'], 'position 5'],
  [['halt'], 'grid $100000 into 4 from -4% to +4%'],
  [['buy 0.1 at -1%'], 'amend p1 5'],
  [['buy 0.1 at -1%', 'halt'], 'amend p1 5'],
  [['buy 0.1 at -1%'], 'amend p1 at 20000'],
  [['buy 0.01', 'every 1m (buy $100)', 'halt'], 'flip'],
  [['buy 0.05', 'every 1m (buy $100)'], 'flip'],
  [['buy 0.05', 'every 1m (buy $100)'], 'close'],
  [['buy 0.05', 'every 1m (buy $100)', 'buy 0.01 at -1%'], 'cancel all'],
  [['buy 0.05', 'every 1m (buy $100)'], 'position 0'],
  [['buy 0.05', 'every 1m (buy $100)'], 'position -0.05'],
  [['buy 0.05', 'every 1m (buy $100)'], 'sell 0.05'],
]
it('x', async () => {
  const o: string[] = []
  for (const [before, line] of lines) {
    for (const answers of [[], [true, true, true, true]]) {
      const { terminal, asked } = deciding([...answers])
      const made = await createSession()
      for (const l of before) await made.run(l)
      const s = await createSession({ terminal })
      for (const l of before) await s.run(l)
      await s.advance(1000)
      asked.length = 0
      const out = await s.run(line)
      o.push(
        `${before.join(' / ')} >> ${line} [${answers.length ? 'y' : 'n'}]\n   asked: ${asked.join('\n          ')}\n   out: ${out.join('\n        ')}`,
      )
    }
  }
  console.log(o.join('\n'))
}, 120000)
