import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { parseLocale } from '../../../shared/core/locale.ts'
import { parseCurrency } from '../../../shared/core/money.ts'
import { FetchProblem } from '../../core/net/public.ts'
import {
  type PlatformOrder,
  type PlatformPlugin,
  type PluginAnswer,
  type PluginCall,
  parseCountryCode,
  type StoreNet,
  type StoreProfile,
  toPlainText,
} from '../platform/public.ts'
import { latestSecond } from './orders.ts'
import { readOrder } from './wire.ts'

// WordPress's side of the plugin protocol (docs/plugin-protocol.md): the call's address, the format of its keys, and
// the meaning of its reports.

/** File name of the plugin's zip, and name of its folder. */
export const PLUGIN_FILE = 'recoup-for-woocommerce.zip'

const CALL_LIMIT_MS = 5_000
const MAX_ANSWER_BYTES = 4_096

/** `?rest_route=` works with every permalink setting and REST prefix. null: no response. */
export async function callPlugin(
  access: { homeUrl: string },
  net: StoreNet,
  call: PluginCall,
): Promise<PluginAnswer | null> {
  const url = `${removeSlash(access.homeUrl)}/?rest_route=/recoup/v1/${call.name}`
  try {
    const { status, headers, body } = await net.fetch(url, {
      method: 'POST',
      headers: call.headers,
      body: call.body,
      timeoutMs: CALL_LIMIT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      isRedirectReturned: true,
    })
    return { status, signature: headers['x-recoup-signature'] ?? '', body: body.toString('utf8') }
  } catch (error) {
    if (error instanceof FetchProblem) return null
    throw error
  }
}

/** Sends a shopper to the plugin, which asks us to resolve the token. */
export const buildPluginLink = (homeUrl: string, token: string): string =>
  `${removeSlash(homeUrl)}/?recoup-restore=${token}`

/** Keys from two secrets that arrived separately: neither alone reveals the keys. */
export function deriveKeys(codeKey: string, salt: string) {
  const derived = (what: string) => createHmac('sha256', codeKey).update(`${what}\n${salt}`).digest('hex')
  return {
    secret: derived('recoup-secret'),
    keys: {
      kind: 'woocommerce' as const,
      consumerKey: `ck_${derived('recoup-consumer-key').slice(0, 40)}`,
      consumerSecret: `cs_${derived('recoup-consumer-secret').slice(0, 40)}`,
    },
  }
}

const yesNo = z.boolean().nullable().catch(null)
const ReportedProfile = z.object({
  woocommerce: z.unknown().transform((input) => toPlainText(input, 40) ?? ''),
  home: z.string(),
  profile: z.object({
    name: z.unknown().transform((input) => toPlainText(input, 200)),
    currency: z.unknown().transform(parseCurrency),
    decimals: z.number().int().min(0).max(8).nullable().catch(null),
    timeZone: z.unknown().transform(timeZone),
    locale: z.unknown().optional().transform(parseLocale),
    baseCountry: z.unknown().transform(parseCountryCode),
    sellingCountries: z
      .array(z.unknown().transform(parseCountryCode))
      .max(300)
      .transform((list) => list.filter((code) => code !== null))
      .nullable()
      .catch(null),
    pricesIncludeTax: yesNo,
    showsTax: yesNo,
    isSequential: yesNo,
  }),
})

/**
 * The profile reported by the plugin; null: it has no currency. Values that need the REST API get the usual default.
 */
export function readReportedProfile(reported: unknown): StoreProfile | null {
  const parsed = ReportedProfile.safeParse(reported)
  const currency = parsed.data?.profile.currency
  if (!parsed.data || !currency) return null
  const { woocommerce: version, profile } = parsed.data
  const homeUrl = removeSlash(parsed.data.home)
  return {
    storeUrl: homeUrl,
    homeUrl,
    name: profile.name ?? new URL(homeUrl).host,
    currency,
    timeZone: profile.timeZone,
    locale: profile.locale,
    version,
    baseCountry: profile.baseCountry,
    sellingCountries: profile.sellingCountries,
    clockSkewMs: 0,
    hasCheckoutLink: Number(/^\d{1,4}/.exec(version)?.[0] ?? 0) >= 10,
    hasEarlyDrafts: false,
    pricing: {
      pricesIncludeTax: profile.pricesIncludeTax,
      showsTax: profile.showsTax,
      decimals: profile.decimals,
      isSequential: profile.isSequential,
    },
    canWrite: true,
    rights: null,
  }
}

function timeZone(input: unknown): string {
  if (typeof input !== 'string' || !/^[A-Za-z+-][A-Za-z0-9_+/:-]{1,60}$/.test(input)) return 'UTC'
  try {
    new Intl.DateTimeFormat('en', { timeZone: input })
    return input
  } catch {
    return 'UTC'
  }
}

const removeSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/** Orders in the REST API's form. */
export function readReportedOrders(list: readonly unknown[]): ReturnType<PlatformPlugin['orders']> {
  const orders: PlatformOrder[] = []
  const refused: { place: number; reason: string }[] = []
  for (const [place, raw] of list.entries()) {
    const reading = readOrder(raw)
    if ('row' in reading) orders.push(reading.row)
    else refused.push({ place, reason: reading.skipped.reason })
  }
  const latest = latestSecond(list)
  return { orders, refused, latest: latest === null ? null : new Date(latest * 1_000) }
}
