import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Runs axe in the page's own tab. Axe's builder opens a second tab for the report, which takes twice as long.

const require = createRequire(import.meta.url)
const { source } = createRequire(require.resolve('@axe-core/playwright'))('axe-core')

/** Axe copies the HTML of every element and parses the same few colors for each, which is most of its time. */
const LIGHTER = `axe.configure({ noHtml: true });
{
  const { prototype } = axe.commons.color.Color, { parseString } = prototype, known = new Map()
  prototype.parseString = function (text) {
    if (known.has(text)) return Object.assign(this, known.get(text))
    const { r, g, b, alpha } = parseString.call(this, text)
    known.set(text, { r, g, b, alpha })
    return this
  }
}`
export const axeSource: string = `${source};${LIGHTER}`

interface Axe {
  run(context: object, options: object): Promise<{ violations: { id: string; nodes: { element: Element }[] }[] }>
}

export interface AxeOptions {
  /** Selector of the part to check; default: the whole page. */
  within?: string | undefined
  /** Selectors of parts to skip. */
  exclude?: string[]
  /** Rules to run; default: all. */
  rules?: string[] | undefined
  /** Rules to skip. */
  without?: string[]
  /** Address of the script on the page's server: the browser caches it compiled between pages. */
  servedAt?: string
}

/**
 * Returns the violated rules with the HTML of their elements. Frames are skipped: they contain message previews, not
 * screens.
 */
export async function findViolations(
  page: Page,
  { within, exclude = [], rules, without = [], servedAt }: AxeOptions = {},
): Promise<[rule: string, elements: string[]][]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await (servedAt ? page.addScriptTag({ url: servedAt }) : page.evaluate(axeSource))
  const options = {
    resultTypes: ['violations'],
    // Only the rule on rotated screens reads style sheets, by loading each again.
    preload: false,
    elementRef: true,
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
      return violations.map(({ id, nodes }): [string, string[]] => [
        id,
        nodes.map(({ element }) => element.outerHTML.slice(0, 300)),
      ])
    },
    [context, options] as const,
  )
}
