// kill -9 of the process that fires hooks by their own conditions and times.
import { randomInt } from 'node:crypto'
import { inject } from 'vitest'
import { killTriggers } from './kill/trigger-kills.ts'
import { scenario } from './scenario.ts'

const rounds = Math.ceil(inject('faultOptions').rounds * 0.6)

scenario(
  'triggers',
  `kill -9 of the process that fires hooks by their own conditions, ${rounds} times, most at what a fire writes`,
  'no bar and no time fires twice, none late, none that was not so; each run has one order at most; what passes while hookline runs is fired or reported',
  () => {
    const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31))
    console.log(`  seed ${seed}`)
    return killTriggers({ rounds, seed, rate: 20 })
  },
  10 + rounds / 4,
)
