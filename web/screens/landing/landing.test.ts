import { brotliCompressSync } from 'node:zlib'
import { Liquid } from 'liquidjs'
import { describe, expect, it, test } from 'vitest'
import { monthlyPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { screens as listed } from '../../../shared/screens.ts'
import { explainLine, listLimits, listPlanLines } from '../../features/billing/rules.ts'
import { files } from './build.ts'
import { path, questions } from './copy.ts'
import { renderLanding } from './render.tsx'

const urls = Object.fromEntries(Object.keys(files).map((name) => [name, `/assets/${name}`]))
const template = renderLanding({ urls, script: '/assets/landing.js' })
const sold = { isSold: true, isTestBilling: false, hasCredits: false }
const renderPage = (hasDemo: boolean, billing: Partial<typeof sold> = {}): string =>
  new Liquid().parseAndRenderSync(template, {
    origin: 'https://recoup.test',
    company: 'Co',
    support: 'a@b.test',
    hasDemo,
    ...sold,
    ...billing,
  })
const page = renderPage(true)
const matchAll = (pattern: RegExp, text = page) => [...text.matchAll(pattern)].map(([, found]) => found!)

/** Size of a server's first packets, so the page arrives in one round trip. */
const FIRST_FLIGHT = 14_600

test('arrives in one round trip', () => {
  expect(brotliCompressSync(template).length).toBeLessThan(FIRST_FLIGHT)
})

test('loads only first-party files', () => {
  const loaded = matchAll(/(?:\bsrc|\bsrcset|url)(?:=|\()["']?([^"')\s]+)/gi)
  expect(loaded.length).toBeGreaterThan(8)
  expect(loaded.filter((address) => !address.startsWith('/assets/') && address !== '/theme.js')).toEqual([])
  expect(page).not.toMatch(/\son\w+=|\sstyle="|<script(?![^>]*(src=|ld\+json))/)
})

test('has headings that form an outline', () => {
  const levels = matchAll(/<h([1-6])[ >]/g).map(Number)
  expect(levels.filter((level) => level === 1)).toEqual([1])
  expect(levels.filter((level, index) => index > 0 && level > levels[index - 1]! + 1)).toEqual([])
})

test.each([
  ['plans are sold', page],
  ['billing is in test mode', renderPage(true, { isTestBilling: true, hasCredits: true })],
  ['nothing is sold', renderPage(false, { isSold: false })],
])('links only to screens or parts of the page where %s', (_, text) => {
  const links = matchAll(/<a [^>]*href="([^"]+)"/g, text)
  const ids = matchAll(/ id="([^"]+)"/g, text).map((id) => `#${id}`)
  const screens = listed.filter(({ frame }) => frame === 'page').map(({ path }) => path)
  const leadsSomewhere = (link: string) =>
    link.startsWith('#')
      ? ids.includes(link)
      : link.split('?')[0] === 'mailto:a@b.test' || screens.includes(link.split('?')[0]!)
  expect(links.filter((link) => !leadsSomewhere(link))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})

describe.each(Object.keys(plans) as PlanKey[])('the plan %s', (key) => {
  const card = new RegExp(`data-plan="${key}">(.*?)</article>`, 's').exec(page)![1]!

  it('states the server’s prices', () => {
    const { priceMonthly } = plans[key]
    expect(matchAll(/<b>\$(\d+)<\/b>/g, card)).toEqual([
      String(priceMonthly),
      String(monthlyPrice(priceMonthly, 'year')),
    ])
    expect(page).toContain(`"name":"${plans[key].name}","price":${priceMonthly},`)
  })

  it('states the server’s limits', () => {
    const lines = matchAll(/<li[^>]*>(.*?)<(?:small|\/li)>/g, card)
    const meanings = matchAll(/<small>(.*?)<\/small>/g, card)
    expect(meanings).toEqual(lines.map(explainLine).filter(Boolean))
    const own = {
      free: [],
      starter: ['Manual SMS and WhatsApp (automated in Growth)'],
      growth: ['Everything in Starter'],
    }
    expect(lines.filter((line) => !own[key].includes(line as never))).toEqual([
      ...listLimits(plans[key].limits),
      ...plans[key].features,
    ])
    expect(lines).toEqual(expect.arrayContaining(own[key]))
    expect(lines).toEqual(listPlanLines(key))
  })
})

test('shows trial, card, guarantee and yearly saving beside the prices (A 9)', { tags: ['A9'] }, () => {
  const text = page.replace(/<[^>]+>/g, '')
  for (const claim of ['Save 20%', '14-day free trial', 'No credit card required', '30-day money-back guarantee']) {
    expect(text).toContain(claim)
  }
})

test('shows extra stores, texts and white-label with their prices, as on Pricing (A 9)', {
  tags: ['A9'],
}, () => {
  const addOns = (text: string) =>
    [...text.slice(text.indexOf('>Add-ons<')).matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, price]) => [
      name,
      price!.replace(/<[^>]+>/g, ''),
    ])
  const [store, white] = [
    ['Extra store', '$10 per store per month'],
    ['White-label', 'Custom pricing. Contact us for white-labeling.'],
  ]
  expect(addOns(page)).toEqual([store, ['SMS/WhatsApp', 'Billed by your provider'], white])
  const texts = 'SMS credits from $10. With a provider of your own, and for WhatsApp: billed by your provider'
  const withCredits = renderPage(true, { hasCredits: true })
  expect(addOns(withCredits)).toEqual([store, ['SMS/WhatsApp', texts], white])
  expect(page).toContain('SMS and WhatsApp go through an account of your own at Twilio or Meta.')
  expect(withCredits).toContain('SMS go through our account at Twilio or one of your own')
})

test('names the plugin, which needs no key, wherever it says how a store is connected', () => {
  const texts = [...questions.map(({ answer }) => answer), ...path.map(({ text }) => text)]
  const connecting = texts.filter((text) => /API key|shop’s pages/.test(text))
  expect(connecting).toHaveLength(2)
  for (const text of connecting) expect(text).toContain('plugin')
})

test('states that messages wait at a limit, as Pricing and the terms do', () => {
  expect(page).toContain('At the limit, messages of that channel wait until the month renews')
  expect(page).not.toMatch(/sending stops/i)
})

test('states that a plan costs nothing in billing test mode only', () => {
  const inTestMode = renderPage(true, { isTestBilling: true })
  expect(inTestMode).toContain('a plan costs nothing here.')
  expect(inTestMode).toContain('data-plan="growth"')
  expect(page).not.toContain('test mode')
})

test('shows no price and no offer where nothing is sold (decision 82)', () => {
  const unsold = renderPage(true, { isSold: false })
  expect(unsold).toContain('This installation has no billing')
  expect(page).not.toContain('This installation has no billing')
  expect(unsold.replace(/<style>.*<\/style>/s, '')).not.toMatch(/data-plan|\$\d|offers|free trial|money-back|Add-ons/)
  for (const text of [unsold, page]) {
    const [data] = matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g, text)
    expect(JSON.parse(data!).name).toBe('Recoup')
  }
})

test('loads the first picture at once, and gives every picture its size', () => {
  const pictures = matchAll(/(<img [^>]*>)/g)
  expect(pictures.filter((picture) => !picture.includes('loading="lazy"'))).toHaveLength(1)
  expect(pictures.filter((picture) => !/width="\d+" height="\d+" alt="[^"]/.test(picture))).toEqual([])
})

test('recommends one plan and says why', () => {
  expect(matchAll(/<span class="tag">(.*?)<\/span>/g)).toEqual(['Recommended'])
  expect(page).toContain('The smallest plan with several flows, A/B tests and scheduled campaigns.')
})

test('states no more reasons than there are', () => {
  expect(page).toContain('<dt>100+</dt>')
  expect(Object.keys(reasonTexts).length).toBeGreaterThan(100)
})

test('does not mention a demo where there is none', () => {
  const html = renderPage(false)
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<figure.*?<\/figure>/s, '')
  expect(html).not.toMatch(/live demo|demo store as|\?demo|the demo as|in the demo/)
  expect(html).not.toContain('{%')
})
