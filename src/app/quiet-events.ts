import type { AppEvents } from './app-events.ts'

/** For commands that end by themselves: only warnings are said, and not among the output. */
export const quietEvents: AppEvents = {
  warn: (text) => void process.stderr.write(`${text}\n`),
  listener: () => {},
  problem: () => {},
  question: () => {},
  editQuestion: () => {},
  activity: () => {},
  order: () => {},
  task: () => {},
  meanwhile: () => {},
}
