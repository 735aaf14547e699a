// A few of the kills of `npm run faults -- triggers`, where hundreds are made.
import { expect, it } from 'vitest'
import { killTriggers } from '../../quality/faults/kill/trigger-kills.ts'

it('fires no bar twice and none late, whenever it is killed', async () => {
  const { got, holds } = await killTriggers({ rounds: 3, seed: 28, rate: 20 })
  expect(holds, got).toBe(true)
}, 120_000)
