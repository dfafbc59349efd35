import { expect, it } from 'vitest'
import { mailDocument } from './mail.ts'

it('puts its head before the mail’s own', () => {
  const shown = mailDocument(
    '<!doctype html><html><HEAD lang="en"><base href="https://shop.example"></HEAD><body>Hi</body></html>',
  )
  expect(shown.indexOf('<base target="_blank">')).toBeLessThan(shown.indexOf('<base href'))
  expect(shown.startsWith('<!doctype html><html><HEAD lang="en"><base target')).toBe(true)
})

it('makes a document of a fragment', () => {
  expect(mailDocument('<p>Hi</p>')).toContain('<body><p>Hi</p></body>')
})
