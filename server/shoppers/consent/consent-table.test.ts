import { describe, expect, test } from 'vitest'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { decideConsent, type LedgerEvidence } from './consent.ts'
import {
  type Answers,
  answers,
  type CountryRules,
  countryRules,
  type Evidence,
  evidenceNames,
  ruleNames,
  ruleTexts,
} from './consent-table.ts'

// Expectations written by hand from the law, not from the code: country × channel × evidence. A change of the table
// without a change here fails, which the last test proves for each cell.

type Table = { answers: Answers; countryRules: Readonly<Record<ChannelName, CountryRules>> }

/**
 * By evidence in the order of `COLUMNS`: y = allowed, n = no consent, a = requested without a reply, u = unconfirmed, w
 * = withdrawn.
 */
const COLUMNS: Evidence[] = ['none', 'bought_before', 'pending', 'express_yes', 'confirmed', 'withdrawn']
const LETTERS = {
  y: null,
  n: 'no_consent',
  a: 'consent_pending',
  u: 'consent_unconfirmed',
  w: 'consent_withdrawn',
} as const

// biome-ignore format: it is read as a table
const EXPECTED: [ChannelName, string, string][] = [
  // channel    countries                                                                                    none bought asked yes confirmed no
  ['email',    'US',                                                                                         'y y y y y w'],
  ['email',    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE',           'n y a y y w'],
  ['email',    'IS LI NO CH GB CA AU',                                                                       'n y a y y w'],
  ['email',    'BR JP NZ IN ZZ unknown',                                                                     'n n a y y w'],
  ['sms',      'US CA GB AU NZ CH IS LI NO',                                                                 'n n a y y w'],
  ['sms',      'BE BG HR CY CZ DK EE FI FR GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE',                 'n n a y y w'],
  ['sms',      'DE AT',                                                                                      'n n a u y w'],
  ['sms',      'BR JP IN ZZ unknown',                                                                        'n n a u y w'],
  ['whatsapp', 'US CA DE FR GB AU NZ BR ZZ unknown',                                                         'n n a y y w'],
  ['push',     'US CA DE FR GB AU NZ BR ZZ unknown',                                                         'n n a y y w'],
]

interface Cell {
  name: string
  channel: ChannelName
  country: string | null
  evidence: Evidence
  expected: string | null
}

const cells: Cell[] = EXPECTED.flatMap(([channel, countries, letters]) =>
  countries.split(' ').flatMap((code) =>
    COLUMNS.map((evidence, place) => ({
      name: `${channel} to ${code}, ${evidence}`,
      channel,
      country: code === 'unknown' ? null : code,
      evidence,
      expected: LETTERS[letters.split(' ')[place] as keyof typeof LETTERS],
    })),
  ),
)

function ask({ channel, country, evidence }: Cell, table?: Table) {
  const isWord = !['none', 'bought_before'].includes(evidence)
  const word = isWord
    ? ({ evidence, id: 'row', source: 'checkout', at: '2026-03-01T00:00:00Z' } as LedgerEvidence)
    : null
  const hasBoughtBefore = evidence === 'bought_before'
  return decideConsent({ channel, country, word, hasBoughtBefore, overrides: [] }, table).problem
}

const wrongCells = (table?: Table) => cells.filter((cell) => ask(cell, table) !== cell.expected).map(({ name }) => name)

describe('the decision table (C5, C6)', () => {
  test('every cell matches the law', () => {
    expect(wrongCells()).toEqual([])
    expect(cells.length).toBeGreaterThan(500)
  })

  test('an earlier purchase does not weaken a person’s own answer', () => {
    const getAnswers = (evidence: LedgerEvidence['evidence']) => {
      const word = { evidence, id: 'row', source: 'checkout', at: '' }
      return decideConsent({ channel: 'email', country: 'DE', word, hasBoughtBefore: true, overrides: [] }).problem
    }
    expect([getAnswers('withdrawn'), getAnswers('express_yes')]).toEqual(['consent_withdrawn', null])
  })

  test('a country in lower case or with extra characters is unknown', () => {
    for (const country of ['us', ' US', 'USA', 'US CA', '']) {
      const cell = { name: '', channel: 'email', country, evidence: 'none', expected: null } as Cell
      expect(ask(cell), country).toBe('no_consent')
    }
  })

  test('each rule has a title and a plain sentence', () => {
    for (const rule of ruleNames) {
      expect(ruleTexts[rule].title.length, rule).toBeGreaterThan(5)
      expect(ruleTexts[rule].sentence, rule).toMatch(/^[A-Z].*\.$/)
    }
  })
})

/** All tables that differ from ours in one cell. */
function* mutants(): Generator<[string, Table]> {
  for (const rule of ruleNames) {
    for (const evidence of evidenceNames) {
      for (const other of [
        'may',
        'no_consent',
        'consent_pending',
        'consent_unconfirmed',
        'consent_withdrawn',
      ] as const) {
        if (answers[rule][evidence] === other) continue
        const changed = { ...answers, [rule]: { ...answers[rule], [evidence]: other } }
        yield [`${rule} × ${evidence} → ${other}`, { answers: changed, countryRules }]
      }
    }
  }
  for (const channel of ['email', 'sms', 'whatsapp', 'push'] as const) {
    const { listed, elsewhere } = countryRules[channel]
    for (const other of ruleNames) {
      if (other !== elsewhere)
        yield [`${channel} elsewhere → ${other}`, withRules(channel, { listed, elsewhere: other })]
    }
    for (const rule of ruleNames) {
      for (const code of listed[rule]?.split(' ') ?? []) {
        const rest = (listed[rule] ?? '').split(' ').filter((each) => each !== code)
        for (const other of ruleNames.filter((each) => each !== rule)) {
          const moved = { ...listed, [rule]: rest.join(' '), [other]: `${listed[other] ?? ''} ${code}`.trim() }
          yield [`${channel} to ${code}: ${rule} → ${other}`, withRules(channel, { listed: moved, elsewhere })]
        }
      }
    }
  }
}

const withRules = (channel: ChannelName, rules: CountryRules): Table => ({
  answers,
  countryRules: { ...countryRules, [channel]: rules },
})

test('a mutation of any cell is detected', () => {
  const all = [...mutants()]
  const unnoticed = all.filter(([, table]) => wrongCells(table).length === 0).map(([name]) => name)
  expect(unnoticed).toEqual([])
  expect(all.length).toBeGreaterThan(250)
})
