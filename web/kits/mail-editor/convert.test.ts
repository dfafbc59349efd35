import { getSchema } from '@tiptap/core'
import { describe, expect, test } from 'vitest'
import { listDesignInputs } from '../../../shared/messages/designs/designs.ts'
import {
  type MailDocument,
  type MailDocumentInput,
  MailDocumentSchema,
} from '../../../shared/messages/mail-document.ts'
import { completeMail, type EditorNode, fromEditor, toEditor } from './convert.ts'
import { cleanFields, cleanInlines, isHref, listFields, readAddress } from './fields.ts'
import { findMailProblems } from './problems.ts'
import { buildRandomMail, createRandom } from './random-mail.ts'
import { createMailSchema } from './schema.ts'

// Nodes are drawn in a browser only: the schema itself needs no look.
const schema = getSchema(createMailSchema(null as never))
const parse = (input: MailDocumentInput): MailDocument => MailDocumentSchema.parse(input)
const roundTrip = (document: MailDocument): MailDocument => {
  const node = schema.nodeFromJSON(toEditor(document))
  node.check()
  return fromEditor(node.toJSON() as EditorNode)
}

describe('a document in the editor', () => {
  test('comes back unchanged, for 500 generated documents', () => {
    const random = createRandom(51)
    for (let count = 0; count < 500; count++) {
      const document = parse(buildRandomMail(random))
      expect(roundTrip(document)).toEqual(document)
      expect(findMailProblems(document).filter(({ where }) => where !== 'Subject' && where !== 'Email')).toEqual([])
    }
  })

  test('of a ready design has the defaults of the schema', () => {
    for (const { document } of listDesignInputs('en')) expect(completeMail(document)).toEqual(parse(document))
  })

  test('keeps a subject with Liquid', () => {
    const subject = { kind: 'legacy_text' as const, source: '{% if coupon_code %}10% off{% endif %}' }
    const document = parse({ ...buildRandomMail(createRandom(1)), subject })
    expect(roundTrip(document).subject).toEqual(subject)
  })

  test('always ends with one footer', () => {
    const { content } = toEditor(parse(buildRandomMail(createRandom(2))))
    const without = () => schema.nodeFromJSON({ type: 'doc', content: content!.slice(0, -1) }).check()
    expect(without).toThrow()
    const twice = () => schema.nodeFromJSON({ type: 'doc', content: [...content!, content!.at(-1)] }).check()
    expect(twice).toThrow()
  })
})

test('attributes that a block may not have become its first values', () => {
  const hostile = {
    layout: 'evil',
    max: 1e9,
    part: { toString: 'all' },
    hasPrices: 'yes',
    show: 'constructor',
    id: '<script>',
  }
  expect(cleanFields(listFields('items'), hostile)).toEqual({
    ...{ id: null, show: 'always', layout: 'large', part: 'all', max: 8 },
    ...{ hasPrices: true, hasQuantities: true, hasCoupon: false },
  })
  const inherited = JSON.parse('{"__proto__":{"layout":"grid"},"href":"javascript:alert(1)"}')
  expect(cleanFields(listFields('items'), inherited)).toMatchObject({ layout: 'large' })
  expect(cleanFields(listFields('button'), inherited)).toMatchObject({ href: 'cart' })
})

test('runs that a text may not have are dropped', () => {
  const hostile = [
    null,
    5,
    { kind: 'value', name: 'constructor' },
    { kind: 'text', text: 'a', marks: ['evil', 'bold'], href: 'javascript:1' },
  ]
  expect(cleanInlines(hostile)).toEqual([{ kind: 'text', text: 'a', marks: ['bold'] }])
})

test.each([
  ['shop.example', 'https://shop.example'],
  [' https://shop.example/a?b=1 ', 'https://shop.example/a?b=1'],
  ['hello@shop.example', 'mailto:hello@shop.example'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['https://user:secret@shop.example', null],
  ['two words', null],
])('%j is read as the address %j', (typed, address) => {
  expect(readAddress(typed)).toBe(address)
  expect(address === null || isHref(address)).toBe(true)
})

test('names what the server would refuse, beside its block', () => {
  const document = parse(buildRandomMail(createRandom(3)))
  const image = {
    id: 'pict0001',
    show: 'always',
    type: 'image',
    asset: '',
    width: 1,
    height: 1,
    alt: '',
    isDecorative: false,
  }
  const button = {
    id: 'butt0001',
    show: 'always',
    type: 'button',
    label: '',
    href: 'htp:/x',
    isWide: false,
    style: 'solid',
    align: 'start',
  }
  const broken = {
    ...document,
    subject: [],
    bands: [{ ...document.bands[0]!, blocks: [image, button] }],
  } as MailDocument
  expect(MailDocumentSchema.safeParse(broken).success).toBe(false)
  expect(findMailProblems(broken).map(({ blockId, where }) => [blockId, where])).toEqual([
    [null, 'Subject'],
    ['pict0001', 'Image'],
    ['pict0001', 'Image'],
    ['butt0001', 'Button'],
  ])
})
