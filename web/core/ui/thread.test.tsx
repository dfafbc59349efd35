import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Outcome, outcomeWords, type Station, StationSign, Thread } from './Thread.tsx'
import { ThreadDots } from './ThreadDots.tsx'

const stations: Station[] = [
  { key: 'cart', label: 'Cart', outcome: 'done', detail: '2 items' },
  {
    key: 'message',
    label: 'Message',
    outcome: 'waiting',
    detail: 'in 2 h',
    figure: '$20.00',
    action: <a href="/x">Open</a>,
  },
  { key: 'bought', label: 'Bought', outcome: 'ahead' },
]

test('every outcome has a shape and a word of its own, so color is never the only sign', () => {
  const outcomes = Object.keys(outcomeWords) as Outcome[]
  const shapes = outcomes.map((outcome) =>
    renderToStaticMarkup(<StationSign outcome={outcome} />).replace(/ data-outcome="\w+"/, ''),
  )
  expect(new Set(shapes).size).toBe(outcomes.length)
  expect(new Set(Object.values(outcomeWords)).size).toBe(outcomes.length)
})

test('is a named list whose stations say label, outcome, figure, detail and action', () => {
  const html = renderToStaticMarkup(<Thread label="Progress" stations={stations} size="page" />)
  expect(html).toContain('<ol class="thread" aria-label="Progress" data-size="page">')
  expect(
    html
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ).toBe('Cart , done 2 items $20.00 Message , waiting in 2 h Open Bought , not yet')
})

test('fills the line up to the last station reached', () => {
  const html = renderToStaticMarkup(<Thread label="Progress" stations={stations} />)
  expect(html.match(/<li[^>]*>/g)).toEqual([
    '<li data-station="cart" data-outcome="done" data-passed="true">',
    '<li data-station="message" data-outcome="waiting">',
    '<li data-station="bought" data-outcome="ahead">',
  ])
})

test('a row’s thread is one tab stop that says every station, and none inside a link', () => {
  const draw = (onOpen?: () => void) =>
    renderToStaticMarkup(
      <MantineProvider>
        <ThreadDots label="Progress" stations={stations} {...(onOpen && { onOpen })} />
      </MantineProvider>,
    )
  const name = 'aria-label="Progress: Cart, done, 2 items; Message, waiting, in 2 h; Bought, not yet"'
  expect(draw(() => {}).match(/<button[^>]*>/g)).toEqual([expect.stringContaining(name)])
  expect(draw()).not.toContain('<button')
  expect(draw()).toContain(name)
})
