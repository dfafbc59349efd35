import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_MAIL_BRAND } from '../server/templates/brand.ts'
import { type MailBrand, sampleContext, type TemplateItem } from '../server/templates/context.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from '../server/templates/ready-templates.ts'
import { createTemplateRenderer } from '../server/templates/render.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// What mails look like: from the narrowest phone to a wide window, by day and at night, and in programs that drop styles from the
// head. `SCREENSHOTS=folder` keeps pictures.

const WIDTHS = [320, 375, 600, 1_100]
const SCHEMES = ['light', 'dark'] as const
const shots = process.env.SCREENSHOTS

const PICTURE =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="800" height="800"%3E%3Crect width="800" height="800" fill="%23b5651d"/%3E%3C/svg%3E'
const item = (name: string, rest: Partial<TemplateItem> = {}): TemplateItem => ({
  ...{ name, quantity: 1, unitPrice: '$24.00', lineTotal: '$24.00', imageUrl: null },
  ...rest,
})
/** What a store may well hold: a name without a space, large sums, more than a mail shows, something to be read from right to left. */
const HARD_ITEMS = [
  item('Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'),
  item('Hand-thrown stoneware mug in speckled oatmeal glaze with a walnut lid and a matching saucer', { quantity: 12 }),
  item('كوب من السيراميك مصنوع يدويا'),
  item('Sofa', { unitPrice: 'CHF 1’234’567.00', lineTotal: 'CHF 12’345’670.00', quantity: 10 }),
  ...Array.from({ length: 20 }, (_, n) => item(`Candle no. ${n + 1}`)),
]

const renderer = createTemplateRenderer()
const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ id }) => id !== 'custom')

function htmlOf(id: string, context: Parameters<typeof sampleContext>[0]): string {
  const { subject, body } = ready.find((template) => template.id === id)!
  const links = { preferencesLink: 'https://app.example/p/sample' }
  const options = { storeHosts: ['shop.example'], trackLink: (url: string) => url }
  const { html } = renderer.render({ id, version: 1, subject, body }, sampleContext({ ...links, ...context }), options)
  // Pictures of products come from stores; the place they take is what is looked at here.
  return html.replaceAll(/src="https:[^"]*"/g, `src='${PICTURE}'`)
}

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
})
afterAll(() => browser?.close())

interface Looks {
  /** Pixels that stand out to the right. */
  over: number
  /** Of the smallest text, in pixels. */
  smallest: number
  buttonHeight: number
  /** Sums that were broken somewhere else than between words. */
  brokenSums: string[]
  /** Of the page and the card, 0 black to 255 white. */
  grounds: number[]
}

const looksOf = () =>
  page.evaluate((): Looks => {
    const root = document.scrollingElement!
    const texts = [...document.querySelectorAll<HTMLElement>('p, td, a, span, strong')]
    const linesOf = (cell: Element) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getClientRects().length
    }
    const sums = [...document.querySelectorAll('td[align=right]')]
    const brokenSums = sums.filter((cell) => linesOf(cell) > cell.textContent!.split(' ').length)
    const isSeen = (element: HTMLElement) => element.innerText.trim() !== '' && element.offsetParent !== null
    const sizes = texts.filter(isSeen).map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    const light = (selector: string) => {
      const colour = getComputedStyle(document.querySelector(selector)!).backgroundColor
      const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map(Number)
      return (r + g + b) / 3
    }
    return {
      over: root.scrollWidth - root.clientWidth,
      smallest: Math.min(...sizes),
      brokenSums: brokenSums.map((cell) => cell.textContent!),
      buttonHeight: document.querySelector('a.button')!.getBoundingClientRect().height,
      grounds: [light('body'), light('.card')],
    }
  })

async function show(html: string, width: number, colorScheme: (typeof SCHEMES)[number]): Promise<Looks> {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme })
  await page.setContent(html)
  return looksOf()
}

const picture = async (name: string) => {
  if (shots) await page.screenshot({ path: path.join(shots, `mail-${name}.png`), fullPage: true })
}

const carts = {
  usual: {},
  hard: {
    items: HARD_ITEMS,
    customerName: 'Wolfeschlegelsteinhausenbergerdorff',
    storeName: 'Gesellschaftmitbeschränkterhaftungsgründungsberatung',
    cartTotal: 'CHF 12’345’999.00',
    postalAddress: '1 Harbour Street, Portland, ME 04101, United States of America',
  },
}

describe.each(ready.map(({ id }) => id))('the template %s', (id) => {
  test.each(Object.entries(carts))('with a %s cart fits every width, by day and at night', async (kind, context) => {
    const html = htmlOf(id, context)
    for (const scheme of SCHEMES) {
      for (const width of WIDTHS) {
        const looks = await show(html, width, scheme)
        await picture(`${id}-${kind}-${scheme}-${width}`)
        expect([scheme, width, looks.over]).toEqual([scheme, width, 0])
        expect(looks.brokenSums).toEqual([])
        expect(looks.smallest).toBeGreaterThanOrEqual(13)
        expect(looks.buttonHeight).toBeGreaterThanOrEqual(44)
        for (const ground of looks.grounds) {
          if (scheme === 'dark') expect(ground).toBeLessThan(60)
          else expect(ground).toBeGreaterThan(200)
        }
      }
    }
  })

  test('fits and can be read where the styles of the head are dropped', async () => {
    const bare = htmlOf(id, carts.hard).replaceAll(/<style>[\s\S]*?<\/style>/g, '')
    for (const width of WIDTHS) expect([width, (await show(bare, width, 'light')).over]).toEqual([width, 0])
    await picture(`${id}-bare`)
    expect(await unreadable()).toEqual([])
  })
})

const pictured = { items: ['Mug', 'Bowl', 'Jar'].map((name) => item(name, { imageUrl: 'https://shop.example/a.jpg' })) }
const kits: Record<string, Partial<MailBrand>> = {
  'no kit': {},
  'a warm one': {
    button: '#b4532a',
    accent: '#9a4520',
    text: '#3a2a20',
    ground: '#fffaf3',
    fontStack: 'georgia',
    radius: 4,
  },
  'a black one': {
    ...{ button: '#000000', accent: '#000000', text: '#111111', radius: 0, promise: 'Free returns within 30 days' },
    logo: { url: 'https://shop.example/logo.png', width: 400, height: 80, alt: '' },
  },
  'a pale one': { button: '#f5f5f5', accent: '#ffee00', radius: 24, footerWords: 'Since 1912' },
  'a dark one': { button: '#e6ff4f', accent: '#e6ff4f', text: '#f4f4f5', ground: '#101114' },
}

describe.each(Object.entries(kits))('with %s', (name, kit) => {
  const context = { ...pictured, brand: { ...DEFAULT_MAIL_BRAND, ...kit } }

  test.each(SCHEMES)('axe finds nothing in a mail, %s', async (scheme) => {
    const looked = name === 'no kit' ? ready : ready.filter(({ id }) => ['last_reminder', 'discount'].includes(id))
    for (const { id } of looked) {
      await show(htmlOf(id, context), 360, scheme)
      expect([id, await unreadable()]).toEqual([id, []])
    }
    await picture(`${name}-${scheme}`)
  })
})

test.each([
  [360, 320, 320],
  [600, 488, 0],
])('at %i pixels the first picture is %i wide, and the button as wide as a phone', async (width, wide, button) => {
  await show(htmlOf('first_reminder', pictured), width, 'light')
  const widths = await page.evaluate(() =>
    ['img.first', 'img.thumb', '.cta'].map((part) => document.querySelector(part)!.getBoundingClientRect().width),
  )
  expect(widths[0]).toBe(wide)
  expect(widths[1]).toBeLessThanOrEqual(64)
  if (button > 0) expect(widths[2]).toBe(button)
  else expect(widths[2]).toBeLessThan(wide / 1.5)
})

test('at night a logo stands on the ground it was made for', async () => {
  await show(htmlOf('first_reminder', { brand: { ...DEFAULT_MAIL_BRAND, ...kits['a black one'] } }), 360, 'dark')
  const grounds = await page.evaluate(() =>
    ['.logo', '.card'].map((part) => getComputedStyle(document.querySelector(part)!).backgroundColor),
  )
  expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(28, 32, 37)'])
})

async function unreadable() {
  // A mail is no page of ours: it has no landmarks and no heading of the first rank.
  const { violations } = await axeOf(page)
    .disableRules(['region', 'page-has-heading-one', 'landmark-one-main'])
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}
