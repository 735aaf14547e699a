// The parts of the bench that measure nothing, for their tests: bench-parts.d.mts gives them types.
export { drawGrowth } from '../../bench/draw-growth.mjs'
export { chooseGroups } from '../../bench/groups.mjs'
export { linesOf } from '../../bench/growth.mjs'
export { judge, skip } from '../../bench/rounds.mjs'
export { countVerdicts, formatPanel, formatTable } from '../../bench/table.mjs'
export { frameSplitter } from '../../bench/web-socket.mjs'
