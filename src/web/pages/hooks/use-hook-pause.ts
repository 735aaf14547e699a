// Pauses a hook after a question. What lets it go on is typed in the hookline terminal: it is copied from here.
import { createElement, Fragment } from 'react'
import type { HookRow } from '../../../protocol/frames.ts'
import { type Question, useConfirm } from '../../components/confirm.tsx'
import { isLive } from '../../console-state.ts'
import { LineBelow } from '../../preview/line-preview.tsx'
import { useConsole } from '../../use-console.ts'
import { hookWord, resumeLine } from './hook-lines.ts'

export function useHookPause(): (hook: HookRow) => Promise<void> {
  const console = useConsole()
  const confirm = useConfirm()
  return async (hook) => {
    if (!isLive(console.getState())) return
    if (hook.paused !== undefined) {
      // Where the clipboard is closed, the line can still be read.
      if (await confirm(resumeQuestion(hook))) await navigator.clipboard.writeText(resumeLine(hook)).catch(() => {})
    } else if (await confirm(pauseQuestion(hook))) await console.runFromPanel(pauseLine(hook))
  }
}

function pauseLine(hook: HookRow): string {
  return `hook pause ${hookWord(hook)}`
}

function pauseQuestion(hook: HookRow): Question {
  const says = 'Its fires are answered and run nothing. What runs goes on. Only the hookline terminal resumes it.'
  const line = createElement(LineBelow, { line: pauseLine(hook) })
  const body = createElement(Fragment, null, createElement('p', null, says), line)
  return { title: `Pause ${hook.name}?`, body, yes: 'Pause', no: 'Let it run' }
}

function resumeQuestion(hook: HookRow): Question {
  return {
    title: `${hook.name} is paused`,
    body: createElement('p', null, 'Type in the hookline terminal: ', createElement('code', null, resumeLine(hook))),
    yes: 'Copy the line',
    no: 'Close',
  }
}
