import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { wayPerDay } from '../test/tier.ts'
import { axeOf } from './axe.ts'

const shots = process.env.SCREENSHOTS

const THEMES = ['light', 'dark', 'blue'] as const

const WIDTHS = [1280, 360]

/**
 * Checks the page at the width of a desktop and a phone in each theme: no overflow, and axe finds nothing in the page or in the part that
 * `within` selects. `npm test` takes one theme for each picture, and axe at one width, others each day; `npm run test:all` all.
 * `SCREENSHOTS=folder` keeps pictures.
 */
export async function checkInEveryTheme(page: Page, name: string, within?: string): Promise<void> {
  const [themes, withAxe] = shots ? [THEMES, WIDTHS] : [wayPerDay(THEMES, name), wayPerDay(WIDTHS, name)]
  for (const theme of themes) {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate((value) => {
        localStorage.setItem('theme', value)
        dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
      }, theme)
      await page.waitForFunction((value) => document.documentElement.dataset.theme === value, theme)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect([name, theme, width, overflow <= 0]).toEqual([name, theme, width, true])
      if (withAxe.includes(width))
        expect(await violationsOf(page, { within, isContrast: theme !== themes[0] })).toEqual([])
      if (shots) await page.screenshot({ path: `${shots}/${name}-${theme}-${width}.png`, fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** The page has the same elements in every theme; only the contrast differs. */
async function violationsOf(page: Page, { within, isContrast }: { within: string | undefined; isContrast: boolean }) {
  const axe = within ? axeOf(page).include(within) : axeOf(page)
  const { violations } = await (isContrast ? axe.withRules('color-contrast') : axe).analyze()
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html])
}
