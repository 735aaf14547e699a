import { expect, it } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { RESTS, resting } from './resting-kind.ts'

it('a task places its order, sees it fill, and ends with what it filled', async () => {
  const stage = stageTasks(resting)
  const { id } = await stage.begin(RESTS)
  const [order] = await stage.openOrders()
  expect(order).toMatchObject({ side: 'buy', amount: '0.01', status: 'open' })
  expect(stage.task(id)).toMatchObject({ status: 'running', doing: '1 of 1', orderIds: [order?.id] })
  await stage.setPrice('64000')
  expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.01', progress: 1 })
  expect(stage.sent).toHaveLength(1)
  expect(stage.problems).toEqual([])
})
