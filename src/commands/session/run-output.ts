// What a run printed, as far as it was kept, with the time of each line.
import { printable } from '../../language/printable.ts'
import type { KeptLine, KeptOutput } from '../../runs/run.ts'
import { showDuration } from '../../trading/figures.ts'
import type { CommandContext } from '../kit/command.ts'

export function printOutput({ out }: Pick<CommandContext, 'out'>, { lines, leftOut }: KeptOutput): void {
  if (lines.length === 0 && leftOut === 0) return out.info('it printed nothing')
  out.print(lines.flatMap(outputLines).join('\n'))
  if (leftOut > 0) out.info(`${leftOut.toLocaleString('en-US')} more lines were not kept`)
}

/** `+0.3s  bought …`; the rest of a text of several lines is indented alike. */
function outputLines([afterMs, kind, text]: KeptLine): string[] {
  const time = `+${showDuration(afterMs)}`.padEnd(9)
  const mark = kind === 'error' || kind === 'warn' ? `${kind}: ` : ''
  return text.split('\n').map((line, index) => {
    const shownLine = printable(line, 300)
    return index === 0 ? `${time}${mark}${shownLine}` : `${' '.repeat(9)}${shownLine}`
  })
}
