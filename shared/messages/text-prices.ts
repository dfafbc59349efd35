// Estimated message prices: rounded list prices of 2026 with carrier fees. Providers change prices monthly and by
// agreement. They serve as previews and for the budget, until the provider reports the charge.
// Millionths of a US dollar: SMS by segment, WhatsApp by marketing template.

interface TextPrice {
  sms: number
  whatsapp: number
}

const ESTIMATES: Readonly<Record<string, TextPrice>> = {
  AE: { sms: 118_000, whatsapp: 38_000 },
  AR: { sms: 75_000, whatsapp: 62_000 },
  AT: { sms: 103_000, whatsapp: 86_000 },
  AU: { sms: 52_000, whatsapp: 73_000 },
  BE: { sms: 110_000, whatsapp: 86_000 },
  BR: { sms: 60_000, whatsapp: 63_000 },
  CA: { sms: 12_000, whatsapp: 25_000 },
  CH: { sms: 76_000, whatsapp: 86_000 },
  CL: { sms: 65_000, whatsapp: 89_000 },
  CO: { sms: 55_000, whatsapp: 13_000 },
  CZ: { sms: 79_000, whatsapp: 86_000 },
  DE: { sms: 113_000, whatsapp: 137_000 },
  DK: { sms: 66_000, whatsapp: 86_000 },
  ES: { sms: 80_000, whatsapp: 62_000 },
  FI: { sms: 95_000, whatsapp: 86_000 },
  FR: { sms: 80_000, whatsapp: 86_000 },
  GB: { sms: 53_000, whatsapp: 53_000 },
  GR: { sms: 88_000, whatsapp: 86_000 },
  HK: { sms: 75_000, whatsapp: 74_000 },
  ID: { sms: 440_000, whatsapp: 42_000 },
  IE: { sms: 87_000, whatsapp: 86_000 },
  IL: { sms: 257_000, whatsapp: 36_000 },
  IN: { sms: 84_000, whatsapp: 12_000 },
  IT: { sms: 93_000, whatsapp: 70_000 },
  JP: { sms: 88_000, whatsapp: 74_000 },
  MX: { sms: 65_000, whatsapp: 31_000 },
  MY: { sms: 97_000, whatsapp: 86_000 },
  NL: { sms: 110_000, whatsapp: 160_000 },
  NO: { sms: 79_000, whatsapp: 86_000 },
  NZ: { sms: 105_000, whatsapp: 74_000 },
  PH: { sms: 200_000, whatsapp: 74_000 },
  PL: { sms: 45_000, whatsapp: 86_000 },
  PT: { sms: 53_000, whatsapp: 86_000 },
  SE: { sms: 63_000, whatsapp: 86_000 },
  SG: { sms: 47_000, whatsapp: 74_000 },
  TR: { sms: 20_000, whatsapp: 11_000 },
  US: { sms: 12_000, whatsapp: 25_000 },
  ZA: { sms: 97_000, whatsapp: 38_000 },
}

/** For unlisted countries: rather high, so that a budget is not exceeded. */
const ELSEWHERE: TextPrice = { sms: 150_000, whatsapp: 100_000 }

export const PRICE_CURRENCY = 'USD'

/** Millionths of a US dollar for one segment or one template to this country (alpha-2; null = unknown). An estimate. */
export const estimatePrice = (channel: 'sms' | 'whatsapp', country: string | null): number =>
  ((country && ESTIMATES[country]) || ELSEWHERE)[channel]

/** Whether the country's own price is listed. */
export const hasListedPrice = (country: string): boolean => ESTIMATES[country] !== undefined

/** By country; the last entry is for all others (`country` null). */
export const priceList = (): (TextPrice & { country: string | null })[] => [
  ...Object.entries(ESTIMATES).map(([country, price]) => ({ country, ...price })),
  { country: null, ...ELSEWHERE },
]
