import { getCountryName } from '../../../shared/insights/analytics-definitions.ts'
import type { ConsentChannel, ConsentOverrideView, ConsentTable, RuleName } from '../../../shared/shoppers/consent.ts'

// Groups the consent table by countries with the same rules. Pure.

export const channels = ['email', 'sms', 'whatsapp'] as const
export const channelNames: Record<ConsentChannel, string> = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' }

export interface CountryGroup {
  key: string
  /** ISO codes; empty means all other countries and unknown ones. */
  countries: string[]
  rules: Record<ConsentChannel, RuleName>
  /** Requirements beyond consent. */
  also: Partial<Record<ConsentChannel, string>>
}

/** The rule being relaxed. */
export interface RuleToRelax {
  group: CountryGroup
  channel: ConsentChannel
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Codes of no current country: unions, the world, reserved and withdrawn codes. */
const NO_COUNTRY = new Set(
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FQ FX HV IC JT MI NH NQ NT PC PU PZ QO RH SU TA TP UK UN VD WK XA XB YD YU ZR ZZ'.split(
    ' ',
  ),
)

/** Sorted by name. */
export const allCountries: readonly { code: string; name: string }[] = LETTERS.flatMap((first) =>
  LETTERS.flatMap((second) => {
    const code = first + second
    const name = NO_COUNTRY.has(code) ? undefined : regions.of(code)
    return name ? [{ code, name }] : []
  }),
).sort((a, b) => a.name.localeCompare(b.name, 'en'))

/** Countries whose name contains the query, or whose code equals it. */
export function findCountries(search: string): string[] {
  const query = search.trim().toLowerCase()
  if (query === '') return []
  const hits = allCountries.filter(
    ({ code, name }) => name.toLowerCase().includes(query) || code.toLowerCase() === query,
  )
  return hits.map(({ code }) => code)
}

/** All groups, or the given countries only, grouped. */
export function groupCountries(table: ConsentTable, only: readonly string[] | null): CountryGroup[] {
  const listed = new Map(table.countries.map(({ country, rules }) => [country, rules]))
  const codes = only ?? [...listed.keys()]
  const groups = new Map<string, CountryGroup>()
  for (const code of [...codes].sort((a, b) => getCountryName(a).localeCompare(getCountryName(b), 'en'))) {
    const rules = listed.get(code) ?? table.elsewhere
    const also = findExtraConditions(table, code)
    const key = JSON.stringify([channels.map((channel) => [rules[channel], also[channel] ?? ''])])
    const group = groups.get(key)
    if (group) group.countries.push(code)
    else groups.set(key, { key, countries: [code], rules, also })
  }
  const found = [...groups.values()].sort((a, b) => a.countries.length - b.countries.length)
  return only ? found : [...found, { key: 'elsewhere', countries: [], rules: table.elsewhere, also: {} }]
}

function findExtraConditions({ alsoAsked }: ConsentTable, code: string): CountryGroup['also'] {
  const fitting = alsoAsked.filter(({ countries }) => countries.includes(code))
  return Object.fromEntries(fitting.map(({ channel, sentence }) => [channel, sentence]))
}

/** Overrides in force that affect a group's rule on a channel. */
export function findOverrides(
  table: ConsentTable,
  group: CountryGroup,
  channel: ConsentChannel,
): ConsentOverrideView[] {
  return table.overrides.filter(
    (each) =>
      !each.endedAt &&
      each.channel === channel &&
      each.from === group.rules[channel] &&
      (each.country === '*' || group.countries.includes(each.country) || isElsewhere(table, group, each.country)),
  )
}

const isElsewhere = (table: ConsentTable, { countries }: CountryGroup, code: string) =>
  countries.length === 0 && !table.countries.some(({ country }) => country === code)

/** Countries an override may cover: the group's, or those without a group. */
export function listCountryChoices(table: ConsentTable, group: CountryGroup): { code: string; name: string }[] {
  if (group.countries.length > 0) return group.countries.map((code) => ({ code, name: getCountryName(code) }))
  const listed = new Set(table.countries.map(({ country }) => country))
  return allCountries.filter(({ code }) => !listed.has(code))
}
