import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CapturePost } from '../../../shared/carts/capture.ts'
import { countPropertyRuns } from '../../../test/seed.ts'
import { readInput } from '../../access/http/input.ts'
import { AppError } from '../../core/common/errors.ts'
import { parseFast, readCapturePost } from './post-check.ts'

// The fast parser accepts and refuses posts exactly like the schema.

function captureResult(read: (input: unknown) => unknown, input: unknown) {
  try {
    return { result: read(input) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message, fields: error.fields }
  }
}

/** JSON values of unexpected types. */
const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    null,
    '',
    ' ',
    0,
    -0,
    1,
    -1,
    1.5,
    1e300,
    true,
    [],
    {},
    [[]],
    [null],
    '\u0000',
    '\ud800',
    '1\n',
    'é'.repeat(100),
  ),
)
const drawEither = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 40, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: nonsense })
/** Mostly valid values. */
const drawMostly = <T>(good: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 15, arbitrary: good }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })))
const token = (min: number, max: number) =>
  drawMostly(
    fc.string({ unit: fc.constantFrom(...'abzAZ09_-'), minLength: min, maxLength: max }),
    fc.string({ unit: fc.constantFrom(...'aZ9_-.\n '), minLength: min - 2, maxLength: max + 2 }),
  )
const text = (max: number) =>
  drawMostly(
    fc.string({ maxLength: max }),
    fc.string({ maxLength: max + 2 }),
    fc.constantFrom('a'.repeat(max), '😀'.repeat(max), '😀'.repeat(max / 2), 'a'.repeat(max + 1)),
  )
const id = drawMostly(
  fc.stringMatching(/^\d{1,18}$/),
  fc.constantFrom('1'.repeat(18), '1'.repeat(19), '-1', '٣', '', '1\n'),
)
const number = (min: number, max: number) =>
  drawMostly(fc.integer({ min: min - 1, max: max + 1 }), fc.constantFrom(min, max, min + 0.5))
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] })
const input = some({ isGiven: drawEither(fc.boolean()), wording: drawEither(text(1_000)), id: drawEither(text(40)) })
const line = fc.record(
  {
    id: drawEither(id),
    variation: drawEither(id),
    quantity: drawEither(number(1, 9_999)),
    choices: drawEither(
      fc.array(some({ name: drawEither(text(100)), value: drawEither(text(200)) }), { maxLength: 3 }),
    ),
    price: nonsense,
  },
  { requiredKeys: ['id', 'quantity'] },
)
const post = fc.record(
  {
    cart: drawEither(token(16, 64)),
    page: drawEither(token(8, 64)),
    seq: drawEither(number(0, 100_000)),
    back: drawEither(token(43, 43)),
    device: drawEither(token(16, 64)),
    items: drawEither(
      fc.oneof(
        fc.array(line, { maxLength: 4 }),
        fc.constantFrom(1, 200, 201).map((count) => Array.from({ length: count }, () => ({ id: '1', quantity: 1 }))),
      ),
    ),
    coupons: drawEither(fc.oneof(fc.array(drawEither(text(60)), { maxLength: 22 }))),
    lang: drawEither(fc.constantFrom('de', 'pt_PT_ao90', 'é'.repeat(35))),
    contact: drawEither(
      some({
        email: drawEither(text(254)),
        phone: drawEither(text(40)),
        firstName: drawEither(text(80)),
        lastName: drawEither(text(80)),
        country: drawEither(drawMostly(fc.constantFrom('US', 'de', '😀', 'é', '\ud800x'), text(2))),
        iban: nonsense,
      }),
    ),
    consent: drawEither(
      some({ email: drawEither(fc.oneof(input, fc.boolean())), sms: drawEither(input), whatsapp: drawEither(input) }),
    ),
    boxes: drawEither(
      some({ email: drawEither(text(40)), sms: drawEither(text(40)), whatsapp: drawEither(text(40)), push: nonsense }),
    ),
    signed: nonsense,
    unconfirmed: nonsense,
  },
  { requiredKeys: ['cart', 'page', 'seq'] },
)

test('the fast parser returns the schema’s result, or its errors', () => {
  let [accepted, usualOnes] = [0, 0]
  fc.assert(
    fc.property(drawEither(post), (generated) => {
      const sent: unknown = JSON.parse(JSON.stringify(generated) ?? 'null')
      const answer = captureResult(readCapturePost, sent)
      expect(answer).toEqual(captureResult((each) => readInput(CapturePost, each), sent))
      if ('result' in answer) accepted += 1
      if (parseFast(sent)) usualOnes += 1
    }),
    countPropertyRuns(1_500, 20_000),
  )
  // Both outcomes must be frequent enough to prove something.
  expect(usualOnes).toBeGreaterThan(30)
  expect(accepted - usualOnes).toBeGreaterThan(3)
})

test('inherited property names are not fields, and rare characters count as in the schema', () => {
  for (const json of [
    '{"__proto__":{"cart":"aaaaaaaaaaaaaaaa","page":"bbbbbbbb","seq":0}}',
    '{"cart":"aaaaaaaaaaaaaaaa","page":"bbbbbbbb","seq":0,"contact":{"__proto__":{"email":"a@b.c"},"constructor":"x"}}',
    '{"cart":"aaaaaaaaaaaaaaaa","page":"bbbbbbbb","seq":0,"boxes":{"toString":"x","__proto__":1}}',
    // One character of two UTF-16 units is no country.
    '{"cart":"aaaaaaaaaaaaaaaa","page":"bbbbbbbb","seq":0,"contact":{"country":"𐀀"}}',
    '{"cart":"aaaaaaaaaaaaaaaa","page":"bbbbbbbb","seq":-0,"items":[{"id":"1","quantity":1,"__proto__":null}]}',
  ]) {
    const sent: unknown = JSON.parse(json)
    const answer = captureResult(readCapturePost, sent)
    expect(answer).toEqual(captureResult((each) => readInput(CapturePost, each), sent))
  }
})

test('the fast parser handles the script’s usual posts', () => {
  const base = { cart: 'cart-0123456789abcdef', device: 'device-0123456789', page: 'page-12345678', seq: 3 }
  for (const usual of [
    {
      ...base,
      items: [
        { id: '16', quantity: 2 },
        { id: '30', variation: '31', quantity: 1 },
      ],
      coupons: ['welcome10'],
    },
    { ...base, items: [], coupons: [] },
    {
      ...base,
      back: 'b'.repeat(43),
      contact: { email: 'ada@shoppers.example.com', phone: '+12125550100', country: 'US' },
    },
    { ...base, contact: { firstName: 'Ada', lastName: '' }, boxes: { email: 'w1', sms: '' } },
  ]) {
    expect(parseFast(JSON.parse(JSON.stringify(usual)))).toEqual(usual)
  }
})
