// What the bench measures with, for the faults: load-bench.d.mts gives it the types.
export { residentKiB } from '../bench/idle.mjs'
export { applyLoad } from '../bench/load.mjs'
export { clientFrame, LoadSocket, openMany } from '../bench/web-socket.mjs'
