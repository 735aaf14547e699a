// `runs`: what ran and what runs.
import type { CommandFamily } from '../kit/command.ts'
import { list } from './runs-list.ts'
import { show } from './runs-show.ts'

export const runs: CommandFamily = {
  name: 'runs',
  group: 'session',
  summary: 'what ran and what runs: list, show',
  bare: 'list',
  otherwise: 'list',
  forms: [list, show],
}
