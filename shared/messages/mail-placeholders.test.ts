import { expect, test } from 'vitest'
import { type MailDocument, MailDocumentSchema } from './mail-document.ts'
import { findPlaceholder } from './mail-placeholders.ts'

const run = (text: string, rest: object = {}) => ({ kind: 'text', text, ...rest })
const build = (block: object, rest: object = {}): MailDocument =>
  MailDocumentSchema.parse({
    version: 1,
    theme: 'warm',
    subject: [run('Your cart')],
    preview: [],
    bands: [{ id: 'band0002', blocks: [{ id: 'block001', ...block }] }],
    footer: {},
    ...rest,
  })
const text = (...inlines: object[]) => ({ type: 'text', inlines })
const hello = text(run('Hello'))
const AT = ['bands', 0, 'blocks', 0]

test.each<[string, MailDocument, string, (string | number)[]]>([
  ['a text', build(text(run('Hi {{ first_name }}!'))), '{{ first_name }}', [...AT, 'inlines']],
  ['two runs', build(text(run('Hi {'), run('{ name }}', { marks: ['bold'] }))), '{{ name }}', [...AT, 'inlines']],
  ['a tag', build(text(run('{% if vip %}Hi'))), '{% if vip %}', [...AT, 'inlines']],
  ['a fallback', build(text({ kind: 'value', name: 'customer_name', fallback: '{{x}}' })), '{{x}}', [...AT, 'inlines']],
  ['the subject', build(hello, { subject: [run('{{ first_name }}, hi')] }), '{{ first_name }}', ['subject']],
  ['the preview line', build(hello, { preview: [run('{{x}}')] }), '{{x}}', ['preview']],
  ['a button', build({ type: 'button', label: 'Go {{x}}' }), '{{x}}', [...AT, 'label']],
  ['a promise', build({ type: 'trust', points: [{ title: '', text: '{{x}}' }] }), '{{x}}', [...AT, 'points']],
  ['the footer', build(hello, { footer: { text: '{{x}}' } }), '{{x}}', ['footer', 'text']],
  [
    'a column',
    build({ type: 'columns', columns: [[], [{ id: 'block002', ...text(run('{{x}}')) }]] }),
    '{{x}}',
    [...AT, 'columns', 1, 0, 'inlines'],
  ],
])('finds the placeholder of %s', (_name, document, found, path) => {
  expect(findPlaceholder(document)).toMatchObject({ text: found, path })
})

test.each<[string, MailDocument]>([
  ['words', build(text(run('Save 5% {today} or } later {')))],
  ['a value', build(text({ kind: 'value', name: 'customer_name' }))],
  ['braces with a break between them', build(text(run('{{ a'), { kind: 'break' }, run('b }}')))],
  ['an HTML block', build({ type: 'legacy_text', source: 'Hi {{ customer_name }}' })],
  ['a subject with Liquid', build(hello, { subject: { kind: 'legacy_text', source: '{{ store_name }}' } })],
])('finds none in %s', (_name, document) => {
  expect(findPlaceholder(document)).toBeNull()
})

test('reads the longest text with open braces at once', () => {
  const runs = Array.from({ length: 8 }, () => run('{'.repeat(5_000)))
  const before = performance.now()
  expect(findPlaceholder(build(text(...runs)))).toBeNull()
  expect(performance.now() - before).toBeLessThan(1_000)
})
