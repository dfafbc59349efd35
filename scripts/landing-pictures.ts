import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { themeNames } from '../web/core/theme/theme-choice.ts'
import { isThemed, type ShotName, shotNames, shots } from '../web/screens/landing/shots.ts'

// Takes the landing page's pictures from a running demo:
// `node scripts/landing-pictures.ts http://localhost:3000 [mail …]`. Names at the end take only these pictures.

const [url = 'http://localhost:3000', ...only] = process.argv.slice(2)
const folder = 'web/screens/landing/pictures'
const DENSITY = 2
/** Margin around the card, in CSS pixels. */
const MARGIN = 12

const scenes: Readonly<Record<ShotName, Scene>> = {
  dashboard: showDashboard,
  why: showWhy,
  mail: showMail,
  restore: showRestore,
  plugin: showPlugin,
}

const browser = await openBrowser()
await mkdir(folder, { recursive: true })
for (const name of shotNames) {
  if (only.length > 0 && !only.includes(name)) continue
  for (const theme of isThemed(name) ? themeNames : [null]) {
    const { wide, narrow } = shots[name]
    const sizes: [string, Size][] = [['wide', wide], ...(narrow ? [['narrow', narrow] as [string, Size]] : [])]
    for (const [shape, size] of sizes) {
      const file = theme === null ? name : `${name}-${theme}`
      await writeFile(`${folder}/${file}-${shape}.webp`, await shoot(name, theme ?? 'light', size))
    }
  }
}
if (only.length === 0) await writeFile('web/public/social.png', await renderSocialImage(browser))
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
  const context = await browser.newContext({
    deviceScaleFactor: DENSITY,
    viewport: { width: 1_200, height: 2_600 },
    bypassCSP: true,
  })
  const page = await context.newPage()
  await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme)
  const corner = await scenes[name](page, size)
  await page.mouse.move(0, 0)
  await page.waitForTimeout(600)
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    clip: { ...corner, ...size, scale: 1 },
  })
  await context.close()
  return Buffer.from(data, 'base64')
}

type Scene = (page: Page, size: Size) => Promise<{ x: number; y: number }>

async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL(/dashboard|carts/)
}

/** Calls the API as the demo's owner. */
function callApi<Reply>(page: Page, path: string, body?: object): Promise<Reply> {
  return page.evaluate(
    async ({ path, body }) => {
      const token = sessionStorage.getItem('token') ?? localStorage.getItem('token')
      const reply = await fetch(path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return (await reply.json()) as Reply
    },
    { path, body },
  )
}

async function findCart(page: Page, status?: string): Promise<string> {
  const { carts } = await callApi<{ carts: { id: string; items: unknown[] }[] }>(
    page,
    `/api/carts/abandoned?limit=50${status ? `&status=${status}` : ''}`,
  )
  const found = carts.find(({ items }) => items.length === 2) ?? carts[0]
  if (!found) throw new Error(`The demo has no such cart yet: wait until its history is complete.`)
  return found.id
}

/** Shows the first reminder about a cart, composed by the code that sends. */
async function showMail(page: Page, size: Size) {
  await signIn(page)
  const cartId = await findCart(page)
  const { flows } = await callApi<{ flows: { id: string; steps: { id: string }[] }[] }>(page, '/api/flows')
  const [flow] = flows
  const mail = await callApi<{ html: string }>(page, `/api/flows/${flow!.id}/preview`, {
    stepId: flow!.steps[0]!.id,
    cartId,
  })
  await page.setViewportSize({ width: size.width, height: 1_600 })
  // Its own origin, so that the pictures load.
  await page.goto(`${url}/robots.txt`)
  await page.setContent(mail.html.replace('<head>', `<head><base href="${url}/">`))
  await page.waitForLoadState('networkidle')
  return { x: 0, y: 0 }
}

/** Shows the page that a reminder's link opens. */
async function showRestore(page: Page, size: Size) {
  await signIn(page)
  const cartId = await findCart(page)
  await page.setViewportSize({ width: size.width, height: 1_600 })
  await page.goto(`${url}/cart/recover?cart_id=${cartId}`)
  await page.getByRole('heading', { name: 'Your cart' }).waitFor()
  await page.waitForLoadState('networkidle')
  // The note for members of the store's team.
  await page.addStyleTag({ content: '.notice { display: none !important }' })
  return { x: 0, y: 0 }
}

/** The plugin's screen in a real WordPress, as in docs/woocommerce-plugin.md. */
async function showPlugin(page: Page, size: Size) {
  await page.setViewportSize(size)
  const picture = (await readFile('docs/images/plugin-connect.png')).toString('base64')
  await page.setContent(
    `<style>body { margin: 0 } img { display: block; width: ${size.width}px }</style><img src="data:image/png;base64,${picture}">`,
  )
  return { x: 0, y: 0 }
}

/** Shows figures and chart at the picture's width. Returns the picture's corner. */
async function showDashboard(page: Page, size: Size) {
  await signIn(page)
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
  await signIn(page)
  await page.goto(`${url}/carts/${await findCart(page, 'recovered')}`)
  const card = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'Timeline', exact: true }) })
  await card.getByRole('button', { name: 'Why?' }).nth(1).click()
  await fitWidth(page, card, size)
  const box = (await card.boundingBox())!
  // From the message that was not sent, with its reasons.
  const message = card.locator('.story > li', { has: page.getByRole('button', { name: 'Why?', expanded: true }) })
  return { x: Math.max(0, box.x - MARGIN), y: (await message.boundingBox())!.y - MARGIN }
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
