import { mkdir, writeFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { themeNames } from '../web/core/theme/theme-choice.ts'
import { type ShotName, shotNames, shots } from '../web/screens/landing/shots.ts'

// Takes the landing page's pictures from a running demo: `node scripts/landing-pictures.ts http://localhost:3000`.

const [url = 'http://localhost:3000'] = process.argv.slice(2)
const folder = 'web/screens/landing/pictures'
const DENSITY = 2
/** Margin around the card, in CSS pixels. */
const MARGIN = 12

const browser = await openBrowser()
await mkdir(folder, { recursive: true })
for (const name of shotNames) {
  for (const theme of themeNames) {
    for (const [shape, size] of Object.entries(shots[name])) {
      await writeFile(`${folder}/${name}-${theme}-${shape}.webp`, await shoot(name, theme, size))
    }
  }
}
await writeFile('web/public/social.png', await renderSocialImage(browser))
await browser.close()

/** The image of shared links: the top of the page without buttons and navigation. */
async function renderSocialImage(browser: Browser): Promise<Buffer> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 630 }, bypassCSP: true })
  const page = await context.newPage()
  // Loads twice, because an optional font is available from the second visit on.
  await page.goto(`${url}/landing.html`)
  await page.waitForLoadState('networkidle')
  await page.reload()
  await page.addStyleTag({
    content: `.top nav, .doors, .calls, .small-print { display: none; }
      .hero { min-height: 566px; display: grid; align-items: center; padding-block: 0; } .shot figcaption { display: none; }`,
  })
  const picture = await page.screenshot()
  await context.close()
  return picture
}

interface Size {
  width: number
  height: number
}

async function shoot(name: ShotName, theme: string, size: Size): Promise<Buffer> {
  const context = await browser.newContext({ deviceScaleFactor: DENSITY, viewport: { width: 1_200, height: 2_600 } })
  const page = await context.newPage()
  await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme)
  await page.goto(`${url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL(/dashboard|carts/)
  const corner = await (name === 'why' ? showWhy(page, size) : showDashboard(page, size))
  await page.mouse.move(0, 0)
  await page.waitForTimeout(600)
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 76,
    clip: { ...corner, ...size, scale: 1 },
  })
  await context.close()
  return Buffer.from(data, 'base64')
}

/** Shows figures and chart at the picture's width. Returns the picture's corner. */
async function showDashboard(page: Page, size: Size) {
  await page.goto(`${url}/dashboard`)
  const part = page.locator('.dashboard')
  await page.getByRole('img', { name: /^Cart recovery/ }).waitFor()
  await page.getByRole('button', { name: 'Hide this guide' }).click()
  await page.getByLabel('Period').selectOption('month')
  await fitWidth(page, part, size)
  await page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
  const box = (await part.boundingBox())!
  return { x: Math.max(0, box.x - MARGIN), y: box.y - MARGIN }
}

/** Shows a recovered cart's timeline with the opened explanation of an unsent message. */
async function showWhy(page: Page, size: Size) {
  await page.goto(`${url}${await findRecoveredCart(page)}`)
  const card = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'Timeline', exact: true }) })
  await card.getByRole('button', { name: 'Why?' }).nth(1).click()
  await fitWidth(page, card, size)
  const box = (await card.boundingBox())!
  return { x: Math.max(0, box.x - MARGIN), y: box.y - MARGIN }
}

/** Resizes the window until the part has the picture's width. The sidebar's width is fixed. */
async function fitWidth(page: Page, part: Locator, size: Size): Promise<void> {
  if (size.width < 500) return page.setViewportSize({ width: size.width, height: 2_600 })
  for (let width = 1_200, tries = 0; tries < 12; tries += 1) {
    const difference = size.width - 2 * MARGIN - (await part.boundingBox())!.width
    if (Math.abs(difference) < 1) break
    width += Math.round(difference)
    await page.setViewportSize({ width, height: 2_600 })
  }
}

async function findRecoveredCart(page: Page): Promise<string> {
  const id = await page.evaluate(async () => {
    const token = sessionStorage.getItem('token') ?? localStorage.getItem('token')
    const reply = await fetch('/api/carts/abandoned?status=recovered&limit=50', {
      headers: { authorization: `Bearer ${token}` },
    })
    const { carts } = (await reply.json()) as { carts: { id: string }[] }
    return carts[0]?.id
  })
  if (!id) throw new Error('The demo has no recovered cart yet: wait until its history is complete.')
  return `/carts/${id}`
}
