import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CartBadge } from '../../../shared/carts/carts.ts'
import { CartStatus } from './badges.tsx'

const readBadge = (html: string) => /class="mark[^"]*">.*?<\/svg>([^<]*)</.exec(html)?.[1]

it.each(CartBadge.options)('keeps the badge "%s" beside the note about the test mailbox', {
  tags: ['B4'],
}, (status) => {
  const html = (isInMailbox: boolean) => renderToStaticMarkup(createElement(CartStatus, { status, isInMailbox }))
  expect([html(false), html(true)].map(readBadge)).toEqual([status, status])
  expect([html(false), html(true)].map((text) => text.includes('In the mailbox'))).toEqual([false, true])
})
