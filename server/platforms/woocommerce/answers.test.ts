import { expect, test } from 'vitest'
import { parseJson, readAnswer, toStoreProblem } from './http.ts'

// Responses as altered by plugins, hosts and firewalls.

const INDEX = '{"name":"Bar Store","namespaces":["wc/v3"]}'
const NOTICE =
  '<br />\n<b>Deprecated</b>:  Creation of dynamic property X::$y is deprecated in <b>/var/www/html/x.php</b> on line <b>12</b><br />\n'

test.each([
  ['notices before it', `${NOTICE}${INDEX}`],
  ['several notices', `${NOTICE.repeat(5)}${INDEX}`],
  ['a notice without tags', `PHP Warning:  Undefined array key "x" in /x.php on line 3\n${INDEX}`],
  ['a notice on its line', `<br />\n<b>Notice</b>: x on line <b>1</b><br />${INDEX}`],
  ['a line of a log', `[01-Nov-2026 10:00:00 UTC] PHP Notice: x\n${INDEX}`],
  ['a comment behind it', `${INDEX}\n<!-- Page cached by {x} on 2026-11-01 -->`],
  ['two comments behind it', `${INDEX}<!-- a --> <!-- b -->\n`],
  ['words behind it', `${INDEX}\nDone`],
  ['a byte order mark and blank lines', `\ufeff\n\n${INDEX}`],
  ['all of it', `\ufeff${NOTICE}\n${INDEX}\n<!-- x -->`],
])('reads a response with %s', (_, text) => {
  expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(INDEX))
})

test.each([
  ['a page', `<!DOCTYPE html><html><body>${INDEX}</body></html>`],
  ['a script', `<script>\n${INDEX}\n</script>`],
  ['half an answer', INDEX.slice(0, -2)],
  ['a notice alone', NOTICE],
  ['a number behind a notice', `${NOTICE}12`],
  ['nothing', ''],
])('refuses %s as a response', (_, text) => {
  expect(parseJson(Buffer.from(text))).toBe(undefined)
})

const getAnswer = (status: number, text: string, headers: Record<string, string> = {}) =>
  readAnswer({ status, headers, body: Buffer.from(text), url: '' } as Parameters<typeof readAnswer>[0], new Date())
const html = { 'content-type': 'text/html; charset=UTF-8' }

test.each([
  [
    'maintenance mode',
    503,
    '<p>Briefly unavailable for scheduled maintenance.</p>',
    { ...html, 'retry-after': '600' },
    'maintenance',
  ],
  ['a busy API', 503, '{"code":"busy"}', { 'retry-after': '5' }, 'rate_limited'],
  ['too many requests', 429, '', {}, 'rate_limited'],
  ['a challenge', 200, '<title>Just a moment...</title>', html, 'api_blocked'],
  ['a challenge by its header', 403, 'x', { 'cf-mitigated': 'challenge' }, 'api_blocked'],
  ['a broken store', 500, '<p>critical error</p>', html, 'store_error'],
])('classifies %s', (_, status, text, headers, code) => {
  expect(toStoreProblem(getAnswer(status, text, headers), true, []).code).toBe(code)
})
