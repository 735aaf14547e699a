// `runs`: what ran and what runs.
import type { CommandFamily } from '../kit/command.ts'
import { list } from './runs-list.ts'
import { show } from './runs-show.ts'
import { runsStop } from './runs-stop.ts'

export const runs: CommandFamily = {
  name: 'runs',
  group: 'session',
  summary: 'what ran and what runs: list, show, stop',
  bare: 'list',
  otherwise: 'list',
  forms: [list, show, runsStop],
}
