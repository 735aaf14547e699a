// What the hooks of `fan-out.mjs` print, and the frames that say so: hookline's own, so that bare `ws` sends the same bytes.

/** ASCII, without anything that JSON or the command line would have to escape. */
export const PRINTED = 'hookline '.repeat(22).trim()
export const HOOK_ID = '1'.repeat(32)

const address = { id: '00000000-0000-4000-8000-000000000000', hookId: HOOK_ID }
export const OUTPUT_FRAME = JSON.stringify({ t: 'cmd:output', ...address, kind: 'print', text: PRINTED })
export const DONE_FRAME = JSON.stringify({ t: 'cmd:done', ...address, success: true })
