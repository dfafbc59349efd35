import { expect, test } from 'vitest'
import { keepLastLabel, markRunning, splitLabel, spreadLabels } from './running.ts'

test('marks the last bucket as running, in text and on the axis', () => {
  const data = { labels: ['Nov 23', 'Nov 24'], datasets: [{ label: 'Abandoned', data: [2, 1] }] }
  const marked = markRunning(data)
  expect(marked).toEqual({ ...data, labels: ['Nov 23', 'Nov 24 (so far)'] })
  expect(marked.labels.map(splitLabel)).toEqual(['Nov 23', ['Nov 24', '(so far)']])
  expect(markRunning({ labels: [], datasets: [] }).labels).toEqual([])
})

test('keeps the last axis label and drops those it would overlap', () => {
  const labels = [...'abcdefghi', ['j', '(so far)']]
  const axis = { width: 100, labels, widthOf: (line: string) => line.length * 4 }
  const buildTicks = (...values: number[]) => values.map((value) => ({ value, label: labels[value]! }))
  const listLabels = (...values: number[]) =>
    keepLastLabel({ ...axis, ticks: buildTicks(...values) }).map(({ value }) => value)
  expect(listLabels(0, 3, 6)).toEqual([0, 3, 6, 9])
  expect(listLabels(0, 4, 8)).toEqual([0, 4, 9])
  expect(listLabels(0, 9)).toEqual([0, 9])
  expect(keepLastLabel({ ...axis, labels: [], ticks: [] })).toEqual([])
})

test('moves the names of lines apart where they would overlap', () => {
  const listY = (...ys: number[]) =>
    spreadLabels(
      ys.map((y) => ({ y })),
      14,
    ).map(({ y }) => y)
  expect(listY(10, 100)).toEqual([100, 10])
  expect(listY(100, 95)).toEqual([100, 86])
})
