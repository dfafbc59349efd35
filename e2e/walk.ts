import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

// Follows every link of a screen and presses every button: none leads to what is not there, and none does nothing.

export interface Walk {
  /** Where the screen is, as it is opened for each press. */
  open: () => Promise<void>
  /** Other servers of the same installation. */
  neighbours: string[]
  /** What is walked through; the whole page unless said otherwise. */
  within?: (page: Page) => Locator
}

/** What was found to lead nowhere, a sentence each; and how much was tried. */
export async function walk(page: Page, { open, neighbours, within = (its) => its.locator('body') }: Walk) {
  await open()
  const links = await linksIn(within(page))
  const faults: string[] = []
  for (const link of links) faults.push(...(await faultOfLink(page, link, neighbours)))
  await open()
  const count = await buttonsIn(within(page)).count()
  const pressed: string[] = []
  for (let at = 0; at < count; at++) {
    await open()
    // What was pressed before has left fewer.
    if (at >= (await buttonsIn(within(page)).count())) break
    const button = buttonsIn(within(page)).nth(at)
    const name = await button.evaluate((one) => one.ariaLabel || one.textContent || one.outerHTML.slice(0, 200))
    pressed.push(name)
    faults.push(...(await faultOfButton(page, button, name)))
  }
  return { links: links.map(({ name }) => name), pressed, faults }
}

interface Link {
  name: string
  href: string
}

async function linksIn(part: Locator): Promise<Link[]> {
  const all = await part.locator('a[href]:visible').evaluateAll((found) =>
    found.map((one) => ({
      name: (one.ariaLabel ?? one.textContent ?? '').trim(),
      href: (one as HTMLAnchorElement).href,
    })),
  )
  return [...new Map(all.map((link) => [link.href, link])).values()]
}

async function faultOfLink(page: Page, { name, href }: Link, neighbours: string[]): Promise<string[]> {
  const url = new URL(href)
  const here = new URL(page.url())
  if (url.protocol === 'mailto:') return url.pathname.includes('@') ? [] : [`“${name}” writes to nobody`]
  if (![here.origin, ...neighbours].includes(url.origin)) return [`“${name}” leads away, to ${url.origin}`]
  const other = await page.context().newPage()
  try {
    await other.goto(href)
    const isThere = await other
      .getByRole('heading')
      .first()
      .waitFor({ timeout: 20_000 })
      .then(
        () => true,
        () => false,
      )
    if (!isThere) return [`“${name}” leads to ${href}, which shows nothing`]
    await other.waitForLoadState('networkidle')
    if (await other.getByRole('heading', { name: 'Page not found' }).count())
      return [`“${name}” leads to ${href}, which is not there`]
    const part = decodeURIComponent(url.hash.slice(1))
    if (part && !(await other.locator(`[id="${part}"]`).count()))
      return [`“${name}” leads to ${href}, which has no such part`]
    return []
  } finally {
    await other.close()
  }
}

const buttonsIn = (part: Locator) =>
  part.locator('button:visible:not([disabled]), [role=button]:visible, input[type=radio]:not([disabled]):not(:checked)')

/** Whatever can be seen of the page: where it is, what it says, what is chosen. */
const seen = (page: Page) =>
  page.evaluate(() => {
    const chosen = [...document.querySelectorAll('input')].map(({ checked, value }) => `${checked} ${value}`)
    return `${location.href} ${document.title} ${chosen} ${document.documentElement.outerHTML}`
  })

async function faultOfButton(page: Page, button: Locator, name: string): Promise<string[]> {
  await page.waitForLoadState('networkidle')
  const before = await seen(page)
  await button.press('Space')
  const isOther = await expect
    .poll(() => seen(page), { timeout: 5_000 })
    .not.toBe(before)
    .then(
      () => true,
      () => false,
    )
  if (!isOther) return [`“${name}” does nothing`]
  await page.waitForLoadState('networkidle')
  const bad = page.getByText(/Page not found|Not found|^Failed to|could not be/)
  return (await bad.count()) > 0 ? [`“${name}” fails: ${await bad.first().innerText()}`] : []
}
