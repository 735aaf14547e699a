// Another process at the same registry, as `hookline hook …` is, without a start for each edit: takes edits over IPC, and answers each
// once the store has confirmed it.
import { openHookStore } from '../../../src/stores/hooks.ts'
import type { EditorReply, EditorRequest } from './hook-editor.ts'

const hooks = openHookStore(process.argv[2] as string)

function edit(request: EditorRequest) {
  switch (request.op) {
    case 'create':
      return hooks.create({ name: request.name, command: request.command })
    case 'rotate':
      return hooks.rotate(request.id)
    case 'revoke':
      return hooks.revoke(request.id)
  }
}

process.on('message', (request: EditorRequest) => {
  edit(request).then(
    (hook) => process.send?.({ hook } satisfies EditorReply),
    (error: Error) => process.send?.({ error: error.message } satisfies EditorReply),
  )
})
