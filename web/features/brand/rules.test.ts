import { expect, test } from 'vitest'
import { type BrandFields, DEFAULT_BRAND_FIELDS, findBrandProblems } from '../../../shared/messages/brand.ts'
import {
  checkFile,
  checkWhileChosen,
  describeContrast,
  listUnusedKinds,
  normalizeBrand,
  toPickerColour,
} from './rules.ts'

const buildBrand = (change: Partial<BrandFields> = {}): BrandFields => ({ ...DEFAULT_BRAND_FIELDS, ...change })

test('shows the contrast of each color while it is chosen, rounded down', () => {
  expect(describeContrast('text', buildBrand({ text: '#000000' }))).toBe('Contrast 21.0:1')
  expect(describeContrast('accent', buildBrand({ accent: '#767676' }))).toBe('Contrast 4.5:1')
  expect(describeContrast('accent', buildBrand({ accent: '#777777' }))).toBeNull()
  expect(describeContrast('button', buildBrand({ button: '#000000' }))).toBe('White label, contrast 21.0:1')
  expect(describeContrast('button', buildBrand({ button: '#ffd400' }))).toMatch(/^Black label, contrast 1\d\.\d:1$/)
  expect(describeContrast('text', buildBrand({ text: '#12' }))).toBeNull()
})

test('reports poor contrast immediately, and ignores an incomplete color', () => {
  const pale = buildBrand({ text: '#999999' })
  expect(checkWhileChosen('text', pale)).toContain('contrast 2.8:1')
  expect(checkWhileChosen('accent', pale)).toBeNull()
  expect(checkWhileChosen('text', { ...pale, accent: '#1d4' })).toBeNull()
  expect(checkWhileChosen('text', buildBrand({ ground: '#000000' }))).not.toBeNull()
})

test.each<[Partial<BrandFields>, Record<string, string>]>([
  [{}, {}],
  [{ button: 'blue' }, { button: 'A color such as #1d4ed8' }],
  [{ radius: 1.5 }, { radius: 'A whole number from 0 to 24' }],
  [{ promise: 'x'.repeat(161) }, { promise: 'At most 160 characters' }],
  [{ footerWords: 'one\ntwo' }, { footerWords: 'One line only' }],
  [{ ground: '#777777', accent: '#000000', text: '#000000' }, {}],
  [
    {
      social: [
        { kind: 'instagram', url: 'https://instagram.com/tea' },
        { kind: 'x', url: 'http://x.com/tea' },
      ],
    },
    { 'social.1.url': 'An address that begins with https://www.x.com/' },
  ],
])('rejects input that the server would reject: %o', (change, problems) => {
  expect(findBrandProblems(buildBrand(change))).toEqual(problems)
})

test('ignores spaces and case in colors', () => {
  const typed = buildBrand({ button: ' #AA0000 ', social: [{ kind: 'x', url: ' https://x.com/tea ' }] })
  expect(findBrandProblems(typed)).toEqual({})
  expect(normalizeBrand(typed)).toEqual(
    buildBrand({ button: '#aa0000', social: [{ kind: 'x', url: 'https://x.com/tea' }] }),
  )
  expect([toPickerColour(' #AA0000'), toPickerColour('#aa')]).toEqual(['#aa0000', '#000000'])
})

test('offers each kind of link once', () => {
  const unused = listUnusedKinds(buildBrand({ social: [{ kind: 'instagram', url: '' }] }))
  expect(unused).not.toContain('instagram')
  expect(unused[0]).toBe('facebook')
})

test('checks a file before uploading it', () => {
  expect(checkFile({ size: 300 * 1024 })).toBeNull()
  expect(checkFile({ size: 300 * 1024 + 1 })).toBe('This file is larger than 300 KB. Choose a smaller one.')
  expect(checkFile({ size: 0 })).toBe('This file is empty.')
})
