// The editor of a hook's command: CodeMirror with hookline's grammar. Loaded when a command is edited; until then there
// is a plain field, and where it cannot be loaded that one stays. Tab is not bound: it leaves the editor, as it leaves any field.
import { autocompletion, type CompletionSource, closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorSelection, EditorState, type Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  placeholder as placeholderText,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { defined } from '../../../../base/defined.ts'
import { WIRE_LIMITS } from '../../../../protocol/wire-limits.ts'
import { useConsole } from '../../../state/use-console.ts'
import { offersFor } from '../../../terminal/completion.ts'

import { asOneLine, type Fault, faultSpan, marksOf } from './grammar.ts'

export interface Cursor {
  readonly anchor: number
  readonly head: number
}

export interface CodeEditorProps {
  /** The initial text: afterwards the editor owns it, so that a late answer takes no letters back. */
  readonly value: string
  readonly onChange: (text: string) => void
  readonly label: string
  readonly placeholder: string
  readonly fault: Fault | undefined
  /** The element that says the fault. */
  readonly describedBy: string
  /** Where the focus was in the field before; undefined: somewhere else. */
  readonly cursor: Cursor | undefined
  /** Ctrl and Enter. */
  readonly onSubmit: (() => void) | undefined
}

const MARKS = new Map<string, Decoration>()

function markFor(kind: string): Decoration {
  const known = MARKS.get(kind) ?? Decoration.mark({ class: `tok-${kind}` })
  MARKS.set(kind, known)
  return known
}

const highlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor({ state }: EditorView) {
      this.decorations = decorate(state)
    }
    update({ docChanged, state }: ViewUpdate) {
      if (docChanged) this.decorations = decorate(state)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

function decorate({ doc }: EditorState): DecorationSet {
  return Decoration.set(marksOf(doc.toString()).map(({ kind, from, to }) => markFor(kind).range(from, to)))
}

export default function CodeEditor(props: CodeEditorProps) {
  const { fault, describedBy } = props
  const console = useConsole()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const attributes = useRef(new Compartment())
  const latest = useRef(props)
  // Keys come to the editor past React: what they call must be what is shown.
  useLayoutEffect(() => {
    latest.current = props
  })
  // Before anything is drawn, and before the next key.
  useLayoutEffect(() => {
    const { value: doc, cursor, placeholder } = latest.current
    const editor = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc,
        selection: cursor ? clamped(cursor, doc.length) : { anchor: doc.length },
        extensions: [
          BASE,
          placeholderText(placeholder),
          autocompletion({
            override: [offers((line, at) => offersFor(console, line, at, { isHookBody: true }))],
            icons: false,
          }),
          keymap.of([{ key: 'Mod-Enter', run: () => submit(latest.current) }]),
          keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
          attributes.current.of([]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (cursor) editor.focus()
    return () => editor.destroy()
  }, [console])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined) return
    const labels = { label: latest.current.label, describedBy, isInvalid: fault !== undefined }
    editor.dispatch({ effects: attributes.current.reconfigure(EditorView.contentAttributes.of(ariaOf(labels))) })
    editor.dispatch(setDiagnostics(editor.state, fault ? [diagnosticOf(editor.state, fault)] : []))
  }, [fault, describedBy])
  return <div className="command-editor" ref={place} />
}

const BASE: Extension = [
  history(),
  drawSelection(),
  EditorView.lineWrapping,
  highlighting,
  EditorView.domEventHandlers({
    // A list that is left behind would cover the next field.
    blur: (_, editor) => {
      closeCompletion(editor)
    },
  }),
]

interface Labels {
  readonly label: string
  readonly describedBy: string
  readonly isInvalid: boolean
}

function ariaOf({ label, describedBy, isInvalid }: Labels): Record<string, string> {
  return {
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': `${isInvalid}`,
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
  }
}

function clamped({ anchor, head }: Cursor, length: number): EditorSelection {
  return EditorSelection.single(Math.min(anchor, length), Math.min(head, length))
}

function diagnosticOf({ doc }: EditorState, fault: Fault): Diagnostic {
  const { message, hint } = fault
  const { from, to } = faultSpan(doc.toString(), fault)
  return { from, to, severity: 'error', message: hint === undefined ? message : `${message}; ${hint}` }
}

function submit({ onSubmit }: CodeEditorProps): boolean {
  onSubmit?.()
  return true
}

type Offers = typeof offersFor extends (console: never, ...rest: infer Rest) => infer Answer
  ? (line: Rest[0], cursor: Rest[1]) => Answer
  : never

/** The terminal's own completion; only what goes on from what is typed. */
function offers(ask: Offers): CompletionSource {
  return async (context) => {
    const line = asOneLine(context.state.doc.toString())
    const typed = /\S*$/.exec(line.slice(0, context.pos))?.[0] ?? ''
    if (typed === '' && !context.explicit) return null
    const offer = await ask(line, context.pos)
    if (offer === undefined || context.aborted) return null
    const { start, choices } = offer
    const options = choices
      .filter(({ label }) => label !== line.slice(start, context.pos))
      .map(({ text, label, detail }) => ({ label, apply: text, ...defined({ detail }) }))
    // Where not all came, more letters are asked again.
    return { from: start, options, ...(choices.length < WIRE_LIMITS.completions ? { validFor: /^[\w@$.-]*$/ } : {}) }
  }
}
