// Only with `--papers`.
import { test } from 'vitest'
import { writePapers } from './papers.ts'

test('the papers show the table of stops as it is', writePapers)
