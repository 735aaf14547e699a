// The parts of the bench that measure nothing, for their tests: bench-parts.d.mts gives them types.
export { drawGrowth } from '../../quality/bench/draw-growth.mjs'
export { chooseGroups } from '../../quality/bench/groups.mjs'
export { linesOf } from '../../quality/bench/growth.mjs'
export { JournalTail } from '../../quality/bench/journal-tail.mjs'
export { verifyOrders } from '../../quality/bench/orders-found.mjs'
export { judge, skip } from '../../quality/bench/rounds.mjs'
export { countVerdicts, formatPanel, formatTable } from '../../quality/bench/table.mjs'
export { frameSplitter } from '../../quality/bench/web-socket.mjs'
