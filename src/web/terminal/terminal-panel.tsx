// The terminal as a panel: gives the session its screen, and the console its transcript.
import '@xterm/xterm/css/xterm.css'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useConfirm } from '../confirm.tsx'
import type { Console } from '../console.ts'
import { focusOf, hookName, whyNoCommands } from '../console-state.ts'
import { pageAction } from '../page-keys.ts'
import { Panel } from '../panel.tsx'
import { useConsole, useConsoleState } from '../use-console.ts'
import { useMedia } from '../use-media.ts'
import { COMMANDS } from './commands.ts'
import type { SeenNames } from './completion.ts'
import { promptText } from './prompt-text.ts'
import { openTerminalScreen, type TerminalScreen } from './terminal-screen.ts'
import { TerminalSession } from './terminal-session.ts'
import { openTypedHistory } from './typed-history.ts'

export interface TerminalHandle {
  focus(): void
  retheme(): void
}

const LABEL = 'Terminal input. Tab completes; F6 or Shift Tab leaves the terminal.'
const GREETING = 'Commands run in hookline on this machine. Type help for what there is.'

export function TerminalPanel({ ref }: { readonly ref: Ref<TerminalHandle> }) {
  const console = useConsole()
  const confirm = useConfirm()
  const state = useConsoleState()
  const { runsUnderWay, connection } = state
  const focus = focusOf(state)
  const noCommands = whyNoCommands(state)
  const element = useRef<HTMLDivElement>(null)
  const screen = useRef<TerminalScreen>(null)
  const session = useRef<TerminalSession>(null)

  useEffect(() => {
    if (element.current === null) return undefined
    const opened = openTerminalScreen({
      element: element.current,
      label: LABEL,
      onData: (data) => session.current?.take(data),
      isForTerminal: (event) => isForTerminal(event, session.current?.isEmpty ?? true),
    })
    const started = new TerminalSession({
      screen: opened,
      history: openTypedHistory(localStorage),
      commands: COMMANDS,
      prompt: () => promptText(console.getState()),
      seen: () => seenNames(console),
      run: async (line) => void (await console.run(line)),
      runsUnderWay: () => console.getState().runsUnderWay,
      confirmPaste: (lines) => confirm(pasteQuestion(lines)).finally(() => opened.focus()),
    })
    screen.current = opened
    session.current = started
    started.print({ kind: 'info', text: GREETING })
    const detach = console.attach({
      echo: (command) => started.echo(command),
      print: (line) => started.print(line),
      printOfHook: (line, hookId) => started.print(line, prefixOf(console, hookId)),
    })
    return () => {
      detach()
      opened.dispose()
    }
  }, [console, confirm])

  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what the prompt's words come from
  useEffect(() => session.current?.refreshPrompt(), [connection.name, focus?.account, focus?.symbol])
  const isDark = useMedia('(prefers-color-scheme: dark)')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the system's wish changes what the custom properties mean
  useEffect(() => screen.current?.retheme(), [isDark])
  useImperativeHandle(ref, () => ({
    focus: () => screen.current?.focus(),
    retheme: () => screen.current?.retheme(),
  }))
  const underWay = <span className="count">{runsUnderWay > 0 ? `${runsUnderWay} running` : ''}</span>
  return (
    <Panel id="terminal" title="Terminal" aside={underWay}>
      {noCommands && <CommandsOff why={noCommands} />}
      <div className="terminal" ref={element} />
    </Panel>
  )
}

function CommandsOff({ why }: { readonly why: string }) {
  return (
    <p className="warning" role="note">
      {why}
    </p>
  )
}

/** Keys of the page go to the page; Tab moves on where there is nothing to complete, so that the focus is not trapped. */
function isForTerminal(event: KeyboardEvent, isEmpty: boolean): boolean {
  if (event.type !== 'keydown') return true
  if (event.key === 'Tab') return !event.shiftKey && !isEmpty
  return pageAction(event, true) === undefined
}

function prefixOf(console: Console, hookId: string | undefined): string {
  const name = hookName(console.getState().hooks, hookId)
  return name === undefined ? '[hook] ' : `[hook:${name}] `
}

function seenNames(console: Console): SeenNames {
  const state = console.getState()
  const { portfolio, accounts, hooks, tasks } = state
  const focus = focusOf(state)
  const rows = [...(portfolio?.positions ?? []), ...(portfolio?.orders ?? []), ...(tasks ?? [])]
  return {
    symbols: [...(focus ? [focus.symbol] : []), ...rows.map(({ symbol }) => symbol)],
    accounts: accounts?.map(({ name }) => name) ?? [],
    hookIds: hooks?.map(({ id }) => id) ?? [],
    orderIds: portfolio?.orders.map(({ id }) => id) ?? [],
  }
}

function pasteQuestion(lines: readonly string[]) {
  return {
    title: `Run ${lines.length} pasted lines?`,
    body: (
      <>
        <p>They run one after the other, each as soon as the one before has ended.</p>
        <pre className="pasted">{lines.join('\n')}</pre>
      </>
    ),
    yes: `Run ${lines.length} lines`,
    no: 'Do not run them',
  }
}
