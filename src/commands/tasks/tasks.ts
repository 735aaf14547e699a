// `tasks`: work that outlives its command (behaviour 41).
import type { CommandFamily } from '../kit/command.ts'
import { cancelTasks, pauseTasks, resumeTasks } from './tasks-ask.ts'
import { list } from './tasks-list.ts'
import { show } from './tasks-show.ts'

export const tasks: CommandFamily = {
  name: 'tasks',
  group: 'tasks',
  summary: 'what goes on by itself: list, show, cancel, pause, resume',
  bare: 'list',
  otherwise: 'list',
  forms: [list, show, cancelTasks, pauseTasks, resumeTasks],
}
