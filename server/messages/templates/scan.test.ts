import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureCpuMs } from '../../../test/cpu.ts'
import { parseKeyword } from '../../delivery/inbound/keywords.ts'
import { createCompiler } from './compile.ts'
import { buildSampleContext } from './context.ts'
import { sanitizeHtml } from './draft.ts'
import { createTemplateRenderer } from './render.ts'
import { hasRange, isOnlyTags, listTags, splitLiquid, tidyLines } from './scan.ts'

const signs = fc.constantFrom('{{', '}}', '{%', '%}', '{', '}', '%', 'a', ' ', '\n', '-')
const source = fc.array(signs, { maxLength: 40 }).map((parts) => parts.join(''))

describe('text and Liquid', () => {
  test('are split at the shortest pairs of brackets, and no text is lost', () => {
    fc.assert(
      fc.property(source, (text) => {
        expect(splitLiquid(text)).toEqual(text.split(/(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})/))
        expect(splitLiquid(text).join('')).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a line of tags alone is a block; a value or a word makes it a line of text', () => {
    expect(['{% if a %}', '  {%if a%} {% endif %}\t'].map(isOnlyTags)).toEqual([true, true])
    expect(['', ' ', 'x', '{% if a %} x', '{{ a }}', '{% if a %}{{ a }}', '{% if'].map(isOnlyTags)).toEqual(
      Array(7).fill(false),
    )
  })

  test('a range is two dots within parentheses of one tag', () => {
    const isRange = (text: string) => listTags(text).some(hasRange)
    expect(['{% for i in (1..9) %}', '{%- for i in ( 1 .. n ) %}', '{% if (a) == (b..c) %}'].map(isRange)).toEqual([
      true,
      true,
      true,
    ])
    expect(['{% for i in cart_items %}', '{% if a == ".." %} (so .. or so)', '(1..9)'].map(isRange)).toEqual([
      false,
      false,
      false,
    ])
  })

  test('lines have no trailing blanks and at most one empty line between them', () => {
    expect(tidyLines(' a \t\r\n\n \n\n  b\n\nc  ')).toBe('a\n\n  b\n\nc')
  })
})

describe('the worst possible text is processed in linear time', () => {
  const renderer = createTemplateRenderer()
  const LONGEST = 50_000
  const fill = (part: string, length = LONGEST) => part.repeat(Math.ceil(length / part.length)).slice(0, length)

  test.each([
    ['tags and one letter', `${'{%a%} '.repeat(28)}x`],
    ['tags and one letter, as many as fit', `${fill('{%a%} ', 39_990)}x`],
    ['tags that are never closed', fill('{%')],
    ['values that are never closed', fill('{{')],
    ['brackets', fill('{')],
    ['a tag of parentheses', `{% ${fill('(')}`],
    ['a tag of dots', `{% for i in (${fill('.')} %}`],
    ['a tag of parentheses and dots', `{% ${fill('(..')} %}`],
    ['loops that are never ended', fill('{% for i in cart_items %}')],
    ['spaces in a tag', `{%${fill(' ')}`],
  ])('compiling %s', (_name, body) => {
    const compile = () => {
      try {
        createCompiler().parseBody(null, body)
      } catch {
        // A refusal is as good as a compiled template.
      }
    }
    expect(measureCpuMs(250, compile)).toBeLessThan(250)
  })

  test.each([
    ['an address that ends in dots and one letter', `https://a.example/${fill('.', 38_000)}x`],
    ['addresses that end in brackets', fill(`https://a.example/${')'.repeat(2_000)} `, 39_000)],
    ['blanks before no line end', `a${fill(' ', 38_000)}x`],
    ['blanks in a preformatted text', `<pre>a${fill(' \t', 38_000)}x</pre>`],
    ['empty lines and blanks', `a\n\n${fill(' ', 38_000)}x`],
    ['paragraphs of blanks', fill('<p> ', 20_000)],
    ['paragraphs without an end', fill('<p ', 38_000)],
    ['elements without an end', fill('<a', 38_000)],
    ['attributes', `<a ${fill('b="', 38_000)}`],
    ['comments', fill('<!--', 38_000)],
    ['entities', fill('&amp', 38_000)],
  ])('rendering %s', (_name, body) => {
    const render = () => [renderer.check({ subject: 'S', body }), renderer.checkText(body)]
    expect(measureCpuMs(500, render)).toBeLessThan(500)
  })

  test('cleaning a text of one address and its dots', () => {
    const button = { inline: '', block: '' }
    const rules = { link: (url: string) => url, isImageAllowed: () => false, linkText: (url: string) => url, button }
    const text = `https://a.example/${fill('.', 100_000)}x`
    expect(measureCpuMs(50, () => sanitizeHtml(text, rules))).toBeLessThan(50)
    expect(sanitizeHtml('(https://a.example/b).&gt;, c', rules)).toBe(
      '(<a href="https://a.example/b" target="_blank">https://a.example/b</a>).&gt;, c',
    )
  })

  test('an SMS reply', () => {
    for (const part of ['.', 'a.', ' ', 'é', '\ufdfa', 'STOP '])
      expect(measureCpuMs(50, () => parseKeyword(`${fill(part, 100_000)}x.`))).toBeLessThan(50)
    expect([
      parseKeyword(`${'.'.repeat(300)} Stop! ${' '.repeat(300)}`),
      parseKeyword(`${'.'.repeat(30)}stopover`),
    ]).toEqual(['stop', null])
  })
})

test('a range or a nested loop is still refused with its own error', () => {
  const renderer = createTemplateRenderer()
  const code = (body: string) => renderer.check({ subject: 'S', body })?.code
  expect(code('{% for i in (1..9) %}x{% endfor %}')).toBe('limit_exceeded')
  expect(code('{% for i in cart_items %}{%- for j in cart_items %}x{% endfor %}{% endfor %}')).toBe('limit_exceeded')
  expect(
    renderer.text({ id: 'a', version: 0, subject: '', body: 'a {{ cart_total }}', design: null }, buildSampleContext()),
  ).toBe('a $80.00')
})
