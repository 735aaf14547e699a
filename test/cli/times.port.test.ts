// `times local` of the whole program, in the zone that the system says.
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, run } from '../../harness/process/hookline.ts'

it('shows the times of one terminal in the zone of the machine, and those of others in UTC', async () => {
  const directory = tempDirectory()
  const env = { TZ: 'Asia/Tokyo' }
  const input = 'buy $500 BTCUSDT at -5%\ntimes local\norders\ntimes\n'
  const { stdout, code } = await run(directory, [], { input, env })
  expect(code).toBe(0)
  expect(stdout).toContain('placed (Asia/Tokyo)')
  expect(stdout).toMatch(/times are shown in Asia\/Tokyo: it is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+09:00/)
  const [local] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?=\n)/.exec(stdout) ?? []
  const elsewhere = await exec(directory, 'orders')
  expect(elsewhere).toContain('placed (UTC)')
  const [utc] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?=\n)/.exec(elsewhere) ?? []
  expect(Date.parse(`${local?.replace(' ', 'T')}+09:00`)).toBe(Date.parse(`${utc?.replace(' ', 'T')}Z`))
})
