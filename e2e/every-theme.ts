import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isEverythingTested, testSeed } from '../test/tier.ts'
import { axeOf } from './axe.ts'

const shots = process.env.SCREENSHOTS

const THEMES = ['light', 'dark', 'blue'] as const

/** `npm test` takes one of them for each picture, another one each day; `npm run test:all` all. */
const themesFor = (name: string): readonly string[] =>
  shots || isEverythingTested ? THEMES : [THEMES[(testSeed + name.length) % THEMES.length]!]

/**
 * Checks the page at the width of a desktop and a phone in each theme: no overflow, and axe finds nothing in the page or in the part that
 * `within` selects. `SCREENSHOTS=folder` keeps pictures.
 */
export async function checkInEveryTheme(page: Page, name: string, within?: string): Promise<void> {
  const themes = themesFor(name)
  for (const theme of themes) {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate((value) => {
        localStorage.setItem('theme', value)
        dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
      }, theme)
      await page.waitForFunction((value) => document.documentElement.dataset.theme === value, theme)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect([name, theme, width, overflow <= 0]).toEqual([name, theme, width, true])
      // The page has the same elements in every theme; only the contrast differs.
      const axe = within ? axeOf(page).include(within) : axeOf(page)
      const { violations } = await (theme === themes[0] ? axe : axe.withRules('color-contrast')).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
      if (shots) await page.screenshot({ path: `${shots}/${name}-${theme}-${width}.png`, fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
