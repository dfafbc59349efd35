import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Accessibility of a page by axe. The app's server serves the script: the browser keeps it compiled from one page to the next.

export const AXE_PATH = '/axe.js'
const require = createRequire(import.meta.url)
export const axeSource: string = createRequire(require.resolve('@axe-core/playwright'))('axe-core').source

interface Axe {
  run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

export interface AxeOptions {
  /** A selector of the part that is checked; the whole page unless given. */
  within?: string | undefined
  /** Selectors of parts that are not. */
  exclude?: string[]
  /** All rules unless given. */
  rules?: string[] | undefined
  /** Rules that are left out. */
  without?: string[]
}

/** The rules that find something, each with the HTML of the elements. Frames hold previews of messages and are no part of a screen. */
export async function findViolations(page: Page, { within, exclude = [], rules, without = [] }: AxeOptions = {}) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ url: AXE_PATH })
  const options = {
    resultTypes: ['violations'],
    // Only a rule on rotated screens reads the style sheets, by loading each again.
    preload: false,
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  }
  const context = {
    exclude: ['iframe', ...exclude].map((selector) => [selector]),
    ...(within ? { include: [[within]] } : {}),
  }
  return page.evaluate(
    async ([where, how]) => {
      const { axe } = window as unknown as { axe: Axe }
      const { violations } = await axe.run(where, how)
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
    },
    [context, options] as const,
  )
}
