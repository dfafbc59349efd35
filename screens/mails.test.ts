import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import { openBrowser } from '../e2e/browser.ts'
import { DEFAULT_MAIL_BRAND } from '../server/messages/templates/brand.ts'
import { buildSampleContext, type MailBrand, type TemplateItem } from '../server/messages/templates/context.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from '../server/messages/templates/ready-templates.ts'
import { createTemplateRenderer } from '../server/messages/templates/render.ts'

// Mails in a mail program: from the narrowest phone to a wide window, light and dark, and without head styles.

const WIDTHS = [320, 360, 600, 1_280]
const SCHEMES = ['light', 'dark'] as const

const PICTURE =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="800" height="800"%3E%3Crect width="800" height="800" fill="%23b5651d"/%3E%3C/svg%3E'
const buildItem = (name: string, rest: Partial<TemplateItem> = {}): TemplateItem => ({
  name,
  quantity: 1,
  unitPrice: '$24.00',
  lineTotal: '$24.00',
  imageUrl: null,
  ...rest,
})
/** A name without a space, large amounts, more items than a mail shows, right-to-left text. */
const HARD_ITEMS = [
  buildItem('Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'),
  buildItem('Hand-thrown stoneware mug in speckled oatmeal glaze with a walnut lid and a matching saucer', {
    quantity: 12,
  }),
  buildItem('كوب من السيراميك مصنوع يدويا'),
  buildItem('Sofa', { unitPrice: 'CHF 1’234’567.00', lineTotal: 'CHF 12’345’670.00', quantity: 10 }),
  ...Array.from({ length: 20 }, (_, n) => buildItem(`Candle no. ${n + 1}`)),
]

const renderer = createTemplateRenderer()
const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ id }) => id !== 'custom')

function renderHtml(id: string, context: Parameters<typeof buildSampleContext>[0]): string {
  const { subject, body } = ready.find((template) => template.id === id)!
  const links = { preferencesLink: 'https://app.example/p/sample' }
  const options = {
    storeHosts: ['shop.example'],
    trackLink: (url: string) => url,
    shopLink: 'https://shop.example/',
    assetsUrl: 'https://app.example/pictures',
  }
  const { html } = renderer.render(
    { id, version: 1, subject, body, design: null },
    buildSampleContext({ ...links, ...context }),
    options,
  )
  // Product pictures are on the stores' servers; only their size matters here.
  return html.replaceAll(/src="https:[^"]*"/g, `src='${PICTURE}'`)
}

let page: Page
beforeAll(async () => {
  page = await (await openBrowser()).newPage()
})
afterAll(() => page?.context().close())

interface Layout {
  /** Horizontal overflow in pixels. */
  over: number
  /** Of the smallest text, in pixels. */
  smallest: number
  buttonHeight: number
  /** Amounts broken elsewhere than between words. */
  brokenSums: string[]
  /** Brightness of the page and the card, 0 black to 255 white. */
  grounds: number[]
}

const measure = (): Layout => {
  const root = document.scrollingElement!
  const texts = [...document.querySelectorAll<HTMLElement>('p, td, a, span, strong')]
  const countLines = (cell: Element) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return range.getClientRects().length
  }
  const sums = [...document.querySelectorAll('td[align=right]')]
  const brokenSums = sums.filter((cell) => countLines(cell) > cell.textContent!.split(' ').length)
  const isSeen = (element: HTMLElement) => element.innerText.trim() !== '' && element.offsetParent !== null
  const sizes = texts.filter(isSeen).map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  const brightness = (selector: string) => {
    const colour = getComputedStyle(document.querySelector(selector)!).backgroundColor
    const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map(Number)
    return (r + g + b) / 3
  }
  return {
    over: root.scrollWidth - root.clientWidth,
    smallest: Math.min(...sizes),
    brokenSums: brokenSums.map((cell) => cell.textContent!),
    buttonHeight: document.querySelector('.cta a')!.getBoundingClientRect().height,
    grounds: [brightness('body'), brightness('.bg-card')],
  }
}

/** Layout of the open mail, at every width in both colour schemes. */
async function measureEverywhere() {
  const layouts: { scheme: (typeof SCHEMES)[number]; width: number; layout: Layout }[] = []
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      layouts.push({ scheme, width, layout: await page.evaluate(measure) })
    }
  }
  return layouts
}

async function findViolationsInMail() {
  // A mail is not one of our pages: it has no landmarks and no level-one heading.
  return findViolations(page, { without: ['region', 'page-has-heading-one', 'landmark-one-main'] })
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
const pictured = {
  items: ['Mug', 'Bowl', 'Jar'].map((name) => buildItem(name, { imageUrl: 'https://shop.example/a.jpg' })),
}
const kits: Record<string, Partial<MailBrand>> = {
  'no kit': {},
  'a warm kit': {
    button: '#b4532a',
    accent: '#9a4520',
    text: '#3a2a20',
    ground: '#fffaf3',
    fontStack: 'georgia',
    radius: 4,
  },
  'a black kit': {
    button: '#000000',
    accent: '#000000',
    text: '#111111',
    radius: 0,
    promise: 'Free returns within 30 days',
    logo: { url: 'https://shop.example/logo.png', width: 400, height: 80, alt: '' },
  },
  'a pale kit': { button: '#f5f5f5', accent: '#ffee00', radius: 24, footerWords: 'Since 1912' },
  'a dark kit': { button: '#e6ff4f', accent: '#e6ff4f', text: '#f4f4f5', ground: '#101114' },
}
const withKit = (name: string) => ({ brand: { ...DEFAULT_MAIL_BRAND, ...kits[name] } })

describe.each(ready.map(({ id }) => id))('the template %s', (id) => {
  test.each(
    Object.entries(carts),
  )('fits every width, in light and dark mode, with a %s cart', async (_name, context) => {
    await page.setContent(renderHtml(id, context))
    for (const { scheme, width, layout } of await measureEverywhere()) {
      expect([scheme, width, layout.over, layout.brokenSums]).toEqual([scheme, width, 0, []])
      expect(layout.smallest).toBeGreaterThanOrEqual(13)
      expect(layout.buttonHeight).toBeGreaterThanOrEqual(44)
      for (const ground of layout.grounds) {
        if (scheme === 'dark') expect(ground).toBeLessThan(60)
        else expect(ground).toBeGreaterThan(200)
      }
    }
  })

  test('fits and is readable if the mail program drops the head styles', async () => {
    await page.setContent(renderHtml(id, carts.hard).replaceAll(/<style>[\s\S]*?<\/style>/g, ''))
    for (const { width, layout } of await measureEverywhere()) expect([width, layout.over]).toEqual([width, 0])
    if (id === 'discount') expect(await findViolationsInMail()).toEqual([])
  })

  test('passes axe in light and dark mode', async () => {
    await page.setContent(renderHtml(id, { ...pictured, ...withKit('no kit') }))
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      expect([colorScheme, await findViolationsInMail()]).toEqual([colorScheme, []])
    }
  })
})

describe.each(Object.keys(kits))('a mail with %s', (name) => {
  test('fits every width and passes axe, in light and dark mode', async () => {
    await page.setContent(renderHtml('discount', { ...pictured, ...withKit(name) }))
    for (const { scheme, width, layout } of await measureEverywhere()) {
      expect([scheme, width, layout.over]).toEqual([scheme, width, 0])
      expect(layout.buttonHeight).toBeGreaterThanOrEqual(44)
      if (scheme === 'dark') expect(Math.max(...layout.grounds)).toBeLessThan(60)
    }
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      expect([colorScheme, await findViolationsInMail()]).toEqual([colorScheme, []])
    }
  })
})

test.each([
  [360, 320, 320],
  [600, 488, 0],
])('at %i pixels the first picture is %i wide, and the button as wide as a phone', async (width, wide, button) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width, height: 900 })
  await page.setContent(renderHtml('first_reminder', pictured))
  const widths = await page.evaluate(() =>
    ['img.first', 'img.thumb', '.cta'].map((part) => document.querySelector(part)!.getBoundingClientRect().width),
  )
  expect(widths[0]).toBe(wide)
  expect(widths[1]).toBeLessThanOrEqual(64)
  if (button > 0) expect(widths[2]).toBe(button)
  else expect(widths[2]).toBeLessThan(wide / 1.5)
})

test('a logo keeps its light background in dark mode', async () => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setContent(renderHtml('first_reminder', withKit('a black kit')))
  const grounds = await page.evaluate(() =>
    ['.logo', '.bg-card'].map((part) => getComputedStyle(document.querySelector(part)!).backgroundColor),
  )
  expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(28, 32, 37)'])
})
