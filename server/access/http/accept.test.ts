import { expect, test } from 'vitest'
import { prefersHtml } from './http.ts'

test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html, application/json', true],
  ['application/json;q=0.5, text/html;q=0.9', true],
  ['application/json, text/html;q=0.9', false],
  ['application/json', false],
  ['*/*', false],
  ['text/html;q=0', false],
  ['TEXT/HTML;q=nonsense', false],
  ['', false],
  [undefined, false],
])('a request with Accept %j for a path shared by page and endpoint gets the page: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected)
})
