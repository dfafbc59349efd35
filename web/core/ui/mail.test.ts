import { expect, it } from 'vitest'
import { buildMailDocument, hasDarkColors } from './mail.ts'

it('puts its head before the mail’s own', () => {
  const html = buildMailDocument(
    '<!doctype html><html><HEAD lang="en"><base href="https://shop.example"></HEAD><body>Hi</body></html>',
  )
  expect(html.indexOf('<base target="_blank">')).toBeLessThan(html.indexOf('<base href'))
  expect(html.startsWith('<!doctype html><html><HEAD lang="en"><base target')).toBe(true)
})

it('turns a fragment into a document', () => {
  expect(buildMailDocument('<p>Hi</p>')).toContain('<body><p>Hi</p></body>')
})

it('shows light or dark colors, independent of the browser’s own', () => {
  const mail = '<style>@media screen and (prefers-color-scheme:dark) { .card { color: #fff } }</style><p>Hi</p>'
  expect(hasDarkColors(mail)).toBe(true)
  expect(hasDarkColors('<p>prefers-color-scheme: dark</p>')).toBe(false)
  expect(buildMailDocument(mail)).toContain('@media screen and (max-width: 0) {')
  expect(buildMailDocument(mail, 'dark')).toContain('@media screen and (min-width: 0) {')
})
