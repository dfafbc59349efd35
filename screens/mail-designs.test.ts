import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import { openBrowser } from '../e2e/browser.ts'
import { DEFAULT_BRAND } from '../shared/messages/brand.ts'
import { listDesigns } from '../shared/messages/designs/designs.ts'
import { compile } from '../shared/messages/mail-compile.ts'
import { listBlocks, type MailDocument } from '../shared/messages/mail-document.ts'
import { fill } from '../shared/messages/mail-fill.ts'
import type { MailBrandKit } from '../shared/messages/mail-theme.ts'
import type { MailValues } from '../shared/messages/mail-values.ts'
import { buildItems, buildSampleValues, SAMPLE_COUPON } from '../test/mail-documents.ts'

// The ready designs in a mail program: on phones and in a window, light and dark, with all answers written, without head
// styles and without pictures.

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl']
const WIDTHS = [320, 360, 600]
/** Of a phone with 640 pixels: the first button begins before one turn of the finger ends. */
const MAX_BUTTON_TOP = 720

const drawPicture = (width: number, height: number) =>
  `data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"%3E%3Crect width="800" height="800" fill="%23b5651d"/%3E%3C/svg%3E`
const KIT: MailBrandKit = {
  ...DEFAULT_BRAND,
  accent: '#a3431f',
  button: '#a3431f',
  social: [{ kind: 'instagram', url: 'https://www.instagram.com/harbour' }],
  footerWords: 'Made by two people and a kiln.',
  promise: 'Shipping is free from $50.',
  logo: { url: 'https://cdn.example/logo.png', width: 400, height: 100, alt: '' },
}
const HARD: Partial<MailValues> = {
  customerName: 'Wolfeschlegelsteinhausenbergerdorff',
  storeName: 'Gesellschaftmitbeschränkterhaftung',
  cartTotal: 'CHF 12’345’999.00',
  items: [
    ...buildItems(1, 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'),
    ...buildItems(2, 'كوب من السيراميك'),
    ...buildItems(20, 'Hand-thrown stoneware mug with a walnut lid and a matching saucer'),
  ],
}

function writeAnswers(document: MailDocument): MailDocument {
  const written = structuredClone(document)
  const points = listBlocks(written).flatMap((block) => (block.type === 'trust' ? block.points : []))
  for (const point of points) point.text = 'Two to four working days within the country, and up to eight elsewhere.'
  return written
}

function renderHtml(document: MailDocument, language: string, values: Partial<MailValues> = {}): string {
  const { html } = fill(compile(document, KIT, document.theme, language), buildSampleValues(values))
  return html
    .replaceAll(`src="${KIT.logo!.url}"`, `src='${drawPicture(400, 100)}'`)
    .replaceAll(/src="https:[^"]*"/g, `src='${drawPicture(800, 800)}'`)
}

let page: Page
beforeAll(async () => {
  page = await (await openBrowser()).newPage()
})
afterAll(() => page?.context().close())

const measure = () => {
  const root = document.scrollingElement!
  const isSeen = (element: HTMLElement) => element.innerText.trim() !== '' && element.offsetParent !== null
  const texts = [...document.querySelectorAll<HTMLElement>('p, a, span, strong, s, h1')].filter(isSeen)
  return {
    over: root.scrollWidth - root.clientWidth,
    smallest: Math.min(...texts.map((element) => Number.parseFloat(getComputedStyle(element).fontSize))),
    buttonTop: document.querySelector('a.ba, a.bia, a.boa')!.getBoundingClientRect().top,
    page: getComputedStyle(document.body).backgroundColor,
  }
}

const findViolationsInMail = () =>
  findViolations(page, { without: ['region', 'page-has-heading-one', 'landmark-one-main'] })

describe.each(listDesigns('en'))('$name', ({ document, theme, place }) => {
  const coupon = place === 'last' ? SAMPLE_COUPON : null
  const carts = { usual: { coupon }, hard: { ...HARD, coupon }, 'without a coupon': {} }

  test.each(Object.entries(carts))('fits every width, light and dark: %s', async (_, values) => {
    await page.setContent(renderHtml(writeAnswers(document), 'en', values))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 640 })
        const { over, smallest } = await page.evaluate(measure)
        expect({ colorScheme, width, over, smallest }).toEqual({ colorScheme, width, over: 0, smallest: 13 })
      }
      expect(await findViolationsInMail()).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('is dark in dark mode, but for its strong bands', async () => {
    await page.setContent(renderHtml(document, 'en', { coupon }))
    await page.emulateMedia({ colorScheme: 'dark' })
    const { page: background } = await page.evaluate(measure)
    expect(background).toBe(theme === 'quiet' ? 'rgb(28, 32, 37)' : 'rgb(17, 20, 23)')
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('fits without head styles and without pictures', async () => {
    const html = renderHtml(writeAnswers(document), 'en', { coupon })
    const cases = [html.replace(/<style>.*?<\/style>/gs, ''), html.replaceAll(/src='[^']*'/g, 'src="data:,"')]
    for (const each of cases) {
      await page.setContent(each)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 640 })
        expect((await page.evaluate(measure)).over).toBe(0)
      }
      expect(await findViolationsInMail()).toEqual([])
    }
    // The plates of pictures remain.
    const heights = await page.$$eval('td[bgcolor][height], img.thumb', (plates) =>
      plates.map((plate) => plate.getBoundingClientRect().height),
    )
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(56)
  })

  test('shows its button soon on a phone, in every language', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    for (const language of LANGUAGES) {
      const design = listDesigns(language).find((each) => each.theme === theme && each.place === place)!
      await page.setContent(renderHtml(writeAnswers(design.document), language, { coupon }))
      const { over, buttonTop } = await page.evaluate(measure)
      expect([language, over]).toEqual([language, 0])
      expect([language, buttonTop <= MAX_BUTTON_TOP || buttonTop]).toEqual([language, true])
    }
  })
})
