import { describe, expect, test } from 'vitest'
import { buildSampleDocument } from '../../test/mail-documents.ts'
import { listBlocks, MailDocumentSchema, mailLimits } from './mail-document.ts'

const run = (text: string, rest: object = {}) => ({ kind: 'text', text, ...rest })
const text = (id: string, inlines: object[] = [run('Hi')]) => ({ id, type: 'text', inlines })
const build = (blocks: object[], rest: object = {}) => ({
  version: 1,
  theme: 'warm',
  subject: [run('S')],
  preview: [],
  bands: [{ id: 'band', blocks }],
  footer: {},
  ...rest,
})
const refuse = (document: object): string[] => {
  const { error } = MailDocumentSchema.safeParse(document)
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
}

describe('a mail document', () => {
  test('gets defaults, so that a block needs its words only', () => {
    const document = MailDocumentSchema.parse(build([text('text'), { id: 'items', type: 'items' }]))
    expect(document.footer).toEqual({ text: '', hasSocial: true })
    expect(document.bands[0]).toMatchObject({ background: 'card', show: 'always' })
    expect(document.bands[0]!.blocks[1]).toMatchObject({ layout: 'large', part: 'all', max: 8, hasCoupon: false })
  })

  test('with every kind of block is what it was after storing and reading it', () => {
    const document = buildSampleDocument('bold')
    expect(MailDocumentSchema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document)
    expect(listBlocks(document).map(({ type }) => type)).toContain('image')
  })

  const image = { id: 'image', type: 'image', width: 10, height: 10, asset: `${'a'.repeat(32)}.png` }
  test.each<[string, object, RegExp]>([
    ['no footer', { ...build([text('text')]), footer: undefined }, /^footer: Every mail ends with the footer$/],
    ['a second footer', build([{ id: 'foot', type: 'footer' }]), /^bands\.0\.blocks\.0\.type: /],
    ['an unknown key', build([{ ...text('text'), style: 'color:red' }]), /Unrecognized key: "style"/],
    ['a colour of its own', build([{ ...text('text'), color: '#ff0000' }]), /Unrecognized key/],
    ['no band', { ...build([]), bands: [] }, /^bands: A mail has at least one section$/],
    ['an empty band', build([]), /^bands\.0\.blocks: A section has at least one block$/],
    ['two blocks with one id', build([text('same'), text('same')]), /^bands: Two blocks have the id same$/],
    ['a block with its band’s id', build([text('band')]), /Two blocks have the id band/],
    ['a script link', build([text('text', [run('x', { href: 'javascript:alert(1)' })])]), /A link leads to the cart/],
    ['a data link', build([text('text', [run('x', { href: 'data:text/html,x' })])]), /A link leads to the cart/],
    ['a link with a password', build([text('text', [run('x', { href: 'https://a:b@c.example/' })])]), /A link leads/],
    [
      'a mail link with headers',
      build([text('text', [run('x', { href: 'mailto:a@b.example?bcc=c' })])]),
      /A link leads/,
    ],
    ['a foreign image', build([{ ...image, asset: 'https://evil.example/x.png' }]), /An image is uploaded first/],
    ['a GIF', build([{ ...image, asset: `${'a'.repeat(32)}.gif`, alt: 'x' }]), /An image is uploaded first/],
    ['an SVG', build([{ ...image, asset: `${'a'.repeat(32)}.svg`, alt: 'x' }]), /An image is uploaded first/],
    ['an image without words', build([image]), /^bands\.0\.blocks\.0\.alt: Describe the picture/],
    [
      'an unknown value',
      build([text('text', [{ kind: 'value', name: 'constructor' }])]),
      /^bands\.0\.blocks\.0\.inlines/,
    ],
    ['an unknown condition', build([{ ...text('text'), show: 'has:constructor' }]), /^bands\.0\.blocks\.0\.show/],
    ['an id that is no id', build([text('a"b')]), /An id has 4 to 12 lower-case letters and digits/],
    [
      'columns in columns',
      build([{ id: 'cols', type: 'columns', columns: [[{ id: 'in', type: 'columns' }], []] }]),
      /columns/,
    ],
    ['an unknown theme', build([text('text')], { theme: 'loud' }), /^theme: /],
    ['another version', build([text('text')], { version: 2 }), /^version: /],
    ['raw HTML', build([{ id: 'html', type: 'html', html: '<b>' }]), /^bands\.0\.blocks\.0\.type: /],
  ])('with %s is refused', (_name, document, message) => {
    expect(refuse(document).join('\n')).toMatch(message)
  })

  test('beyond a limit is refused with the limit', () => {
    const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => text(`text${from + at}`))
    const bands = (counts: number[]) => counts.map((count, at) => ({ id: `band${at}`, blocks: many(count, at * 100) }))
    expect(refuse({ ...build([]), bands: bands([40, 40, 40]) })).toEqual([])
    expect(refuse({ ...build([]), bands: bands([40, 40, 40, 1]) })).toEqual(['bands: A mail has at most 120 blocks'])
    const long = run('x'.repeat(mailLimits.runLength))
    expect(refuse(build([text('text', Array(8).fill(long))]))).toEqual([])
    expect(refuse(build([text('text', Array(9).fill(long))]))).toEqual([
      'bands: The text of a mail has at most 40,000 characters',
    ])
    const legacy = (id: string) => ({ id, type: 'legacy_text', source: 'x'.repeat(40_000) })
    expect(refuse(build([legacy('one1'), legacy('two2')]))).toEqual([
      'bands: The HTML of a mail has at most 60,000 characters',
    ])
  })
})
